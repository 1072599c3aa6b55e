package shellanalysis

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The parser and bash differ about comments. A comment ends at its line break, whatever
// stands in front of that; the parser takes a backslash there for one that joins the
// lines, and the next command for words of the one before the comment. So such
// backslashes become blanks before the line is parsed. And a # right behind the items of
// an array is a letter, while the parser takes it for a comment that hides what follows.
// Such a line is refused.

// maxCommentRounds is how often a line is parsed to find its comments: what follows such a
// comment may be understood as something else until it is mended.
const maxCommentRounds = 8

var (
	errComments = errors.New(
		"comments that end in a backslash make the command hard to understand: remove the backslashes")
	errGlued = errors.New("a # stands right behind a bracket: put a blank in front of it")
)

// parseFile parses a source as bash does.
func parseFile(source string) (*syntax.File, error) {
	source, err := withoutEnds(source)
	if err != nil {
		return nil, err
	}
	if strings.Contains(source, ")#") {
		for _, comment := range commentsOf(source) {
			if comment.from > 0 && source[comment.from-1] == ')' {
				return nil, errGlued
			}
		}
	}
	return newParser().Parse(strings.NewReader(source), "")
}

// withoutEnds is a source with blanks in the place of the backslashes at the ends of comments.
func withoutEnds(source string) (string, error) {
	if !strings.Contains(source, "\\\n") || !strings.Contains(source, "#") {
		return source, nil
	}
	text := []byte(source)
	for range maxCommentRounds {
		changed, ends := false, map[int]bool{}
		for _, comment := range commentsOf(string(text)) {
			last := comment.to - 1
			ends[last] = true
			if comment.to < len(text) && text[last] == '\\' {
				text[last], changed = ' ', true
			}
		}
		if changed {
			continue
		}
		for i := range text {
			if text[i] != source[i] && !ends[i] {
				return "", errComments // it was no comment after all
			}
		}
		return string(text), nil
	}
	return "", errComments
}

// span is the place of a comment: from its # to the end of its line.
type span struct{ from, to int }

// commentsOf are the comments of a source, as far as it parses.
func commentsOf(source string) []span {
	file, _ := newParser(syntax.KeepComments(true)).Parse(strings.NewReader(source), "")
	if file == nil {
		return nil // parseFile says why
	}
	var spans []span
	syntax.Walk(file, func(node syntax.Node) bool {
		if comment, ok := node.(*syntax.Comment); ok {
			from := min(int(comment.Hash.Offset()), len(source))
			line, _, _ := strings.Cut(source[from:], "\n")
			spans = append(spans, span{from, from + len(line)})
		}
		return true
	})
	return spans
}
