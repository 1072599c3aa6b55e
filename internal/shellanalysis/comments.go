package shellanalysis

import (
	"errors"
	"slices"
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
	errGlued = errors.New("a # stands right behind the bracket of an array: put a blank in front of it")
)

// parseFile parses a source as bash does.
func parseFile(source string) (*syntax.File, error) {
	if mayEndInBackslash(source) {
		var err error
		if source, _, err = withoutEnds(source); err != nil {
			return nil, err
		}
	}
	if strings.Contains(source, ")#") {
		comments, arrays, _ := commentsOf(source)
		for _, comment := range comments {
			if arrays[comment.from] {
				return nil, errGlued
			}
		}
	}
	return newParser().Parse(strings.NewReader(source), "")
}

func mayEndInBackslash(source string) bool {
	return strings.Contains(source, "\\\n") && strings.IndexByte(source, '#') >= 0
}

// withoutEnds puts blanks in the place of the backslashes at the ends of comments, and
// returns their offsets.
func withoutEnds(source string) (string, []int, error) {
	text := []byte(source)
	var ends []int
	for range maxCommentRounds {
		comments, _, err := commentsOf(string(text))
		found := endsOf(text, comments)
		if len(found) == 0 && err != nil {
			// Half of what stands behind such a comment may be missing.
			found = firstEnd(text)
		}
		if len(found) == 0 {
			if err == nil && inComments(comments, ends) {
				slices.Sort(ends)
				return string(text), ends, nil
			}
			if err != nil {
				return string(text), nil, nil // the parser says why
			}
			return "", nil, errComments
		}
		for _, at := range found {
			text[at] = ' '
		}
		ends = append(ends, found...)
	}
	return "", nil, errComments
}

// span is the place of a comment: from its # to the end of its line.
type span struct{ from, to int }

// inComments says whether each of some offsets is the last one of a comment.
func inComments(comments []span, ends []int) bool {
	last := make(map[int]bool, len(comments))
	for _, s := range comments {
		last[s.to-1] = true
	}
	return !slices.ContainsFunc(ends, func(at int) bool { return !last[at] })
}

// commentsOf are the comments of a source, and the offsets behind its arrays.
func commentsOf(source string) (spans []span, arrays map[int]bool, err error) {
	file, err := newParser(syntax.KeepComments(true)).Parse(strings.NewReader(source), "")
	if file == nil {
		return nil, nil, err
	}
	arrays = map[int]bool{}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Comment:
			from := min(int(node.Hash.Offset()), len(source))
			to := len(source)
			if line := strings.IndexByte(source[from:], '\n'); line >= 0 {
				to = from + line
			}
			spans = append(spans, span{from, to})
		case *syntax.ArrayExpr:
			arrays[int(node.End().Offset())] = true
		}
		return true
	})
	return spans, arrays, err
}

// endsOf are the offsets of the backslashes at the ends of comments.
func endsOf(text []byte, comments []span) []int {
	var ends []int
	for _, s := range comments {
		if s.to > s.from && s.to < len(text) && text[s.to-1] == '\\' {
			ends = append(ends, s.to-1)
		}
	}
	return ends
}

// firstEnd is the first backslash at the end of a line that seems to have a comment.
func firstEnd(text []byte) []int {
	for from := 0; from < len(text); {
		to := len(text)
		if at := slices.Index(text[from:], '\n'); at >= 0 {
			to = from + at
		}
		for i := from; i < to-1; i++ {
			if text[i] == '#' && text[to-1] == '\\' && (i == from || strings.IndexByte(" \t;&|()", text[i-1]) >= 0) {
				return []int{to - 1}
			}
		}
		from = to + 1
	}
	return nil
}
