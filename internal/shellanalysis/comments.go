package shellanalysis

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The parser and bash differ about comments. A comment ends at its line break, whatever
// stands in front of that; the parser takes a backslash there for one that joins the
// lines, and the next command for words of the one before the comment. And a # right
// behind the items of an array is a letter, while the parser takes it for a comment that
// hides what follows. Such lines are refused.
var (
	errContinued = errors.New("a comment ends in a backslash, which does not continue it: remove the backslash")
	errGlued     = errors.New("a # stands right behind a bracket: put a blank in front of it")
)

// parseFile parses a source as bash does.
func parseFile(source string) (*syntax.File, error) {
	if strings.Contains(source, "#") && (strings.Contains(source, ")#") || strings.Contains(source, "\\\n")) {
		if err := refuseComments(source); err != nil {
			return nil, err
		}
	}
	return newParser().Parse(strings.NewReader(source), "")
}

// refuseComments looks at the comments of a source, as far as it parses.
func refuseComments(source string) (err error) {
	file, _ := newParser(syntax.KeepComments(true)).Parse(strings.NewReader(source), "")
	if file == nil {
		return nil // parseFile says why
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		if comment, ok := node.(*syntax.Comment); ok {
			from := min(int(comment.Hash.Offset()), len(source))
			line, _, continued := strings.Cut(source[from:], "\n")
			switch {
			case from > 0 && source[from-1] == ')':
				err = errGlued
			case continued && strings.HasSuffix(line, "\\"):
				err = errContinued
			}
		}
		return true
	})
	return err
}
