package shellanalysis

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// SyntaxError says where a command line cannot be understood.
type SyntaxError struct {
	Line, Column int // 1-based; 0: unknown
	Message      string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return "syntax error: " + e.Message
	}
	return fmt.Sprintf("syntax error in line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// maxNesting bounds the depth of brackets: the parser is recursive.
const maxNesting = 200

// Parse understands a command line as bash does. The error is a *SyntaxError.
func Parse(source string) (*syntax.File, error) {
	if strings.IndexByte(source, 0) >= 0 {
		return nil, &SyntaxError{Message: "the command holds a NUL character"}
	}
	if nesting(source) > maxNesting {
		return nil, &SyntaxError{Message: fmt.Sprintf("brackets are nested deeper than %d", maxNesting)}
	}
	file, err := parseFile(source)
	if err == nil {
		return refuseNameless(file)
	}
	var where syntax.ParseError
	if errors.As(err, &where) {
		return nil, &SyntaxError{Line: int(where.Pos.Line()), Column: int(where.Pos.Col()), Message: where.Text}
	}
	var language syntax.LangError
	if errors.As(err, &language) {
		return nil, &SyntaxError{Line: int(language.Pos.Line()), Column: int(language.Pos.Col()),
			Message: "bash has no " + language.Feature}
	}
	return nil, &SyntaxError{Message: err.Error()}
}

// refuseNameless refuses what the parser takes and bash does not: a function without a name.
func refuseNameless(file *syntax.File) (*syntax.File, error) {
	var err error
	syntax.Walk(file, func(node syntax.Node) bool {
		if f, ok := node.(*syntax.FuncDecl); ok && f.Name == nil {
			err = &SyntaxError{Line: int(f.Pos().Line()), Column: int(f.Pos().Col()), Message: "a function has no name"}
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	return file, nil
}

// beforeError is the part of a line that bash runs before it sees the error; nil: none.
func beforeError(source string) *syntax.File {
	if nesting(source) > maxNesting || strings.IndexByte(source, 0) >= 0 {
		return nil
	}
	file := &syntax.File{}
	failed := false
	for stmt, err := range newParser().StmtsSeq(strings.NewReader(source)) {
		failed = failed || err != nil // it goes on behind an error, and must not be stopped
		if !failed && stmt != nil {
			file.Stmts = append(file.Stmts, stmt)
		}
	}
	if file, err := refuseNameless(file); err == nil && len(file.Stmts) > 0 {
		return file
	}
	return nil
}

func newParser(options ...syntax.ParserOption) *syntax.Parser {
	return syntax.NewParser(append(options, syntax.Variant(syntax.LangBash))...)
}

// nesting is the greatest depth of opening brackets and substitutions, whatever the
// quotes: never less than the parser's.
func nesting(source string) int {
	if strings.IndexByte(source, '(') < 0 && strings.IndexByte(source, '{') < 0 && strings.IndexByte(source, '`') < 0 {
		return 0
	}
	depth, deepest := 0, 0
	for i := range len(source) {
		switch source[i] {
		case '(', '{', '`':
			depth++
			deepest = max(deepest, depth)
		case ')', '}':
			depth = max(depth-1, 0)
		}
	}
	return deepest
}

// Mend repairs a command that a model escaped once too often: its line breaks
// arrived as the two characters \n, its quotes as \". Only a line that does not
// parse as it is, and parses then, is changed. The line breaks of Windows, where a
// command has no others, become those of bash, which takes their first half for a
// letter.
func Mend(source string) (mended string, changed bool) {
	if breaks := strings.Count(source, "\n"); breaks > 0 && strings.Count(source, "\r\n") == breaks {
		return strings.ReplaceAll(source, "\r\n", "\n"), true
	}
	if strings.Contains(source, "\n") || !strings.Contains(source, `\n`) {
		return source, false
	}
	if _, err := Parse(source); err == nil {
		return source, false
	}
	for _, replace := range []*strings.Replacer{
		strings.NewReplacer(`\n`, "\n", `\t`, "\t"),
		strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`),
	} {
		candidate := replace.Replace(source)
		if _, err := Parse(candidate); err == nil {
			return candidate, true
		}
	}
	return source, false
}
