package shellsyntax

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Script is a command line that bash can run.
type Script struct {
	file *syntax.File
	ends []int // offsets of the backslashes at the ends of comments
}

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

// parsers are kept for the next line: their buffers are large.
var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// Parse understands a command line as bash does. The error is a *SyntaxError.
func Parse(source string) (*Script, error) {
	if strings.IndexByte(source, 0) >= 0 {
		return nil, &SyntaxError{Message: "the command holds a NUL character"}
	}
	if nesting(source) > maxNesting {
		return nil, &SyntaxError{Message: fmt.Sprintf("brackets are nested deeper than %d", maxNesting)}
	}
	file, ends, err := parseFile(source)
	if err == nil {
		return understood(&Script{file: file, ends: ends}, source)
	}
	var where syntax.ParseError
	if errors.As(err, &where) {
		return nil, &SyntaxError{Line: int(where.Pos.Line()), Column: int(where.Pos.Col()), Message: where.Text}
	}
	var language syntax.LangError
	if errors.As(err, &language) {
		return nil, &SyntaxError{Line: int(language.Pos.Line()), Column: int(language.Pos.Col()), Message: "bash has no " + language.Feature}
	}
	return nil, &SyntaxError{Message: err.Error()}
}

// understood refuses what the parser takes and bash does not: a function without
// a name.
func understood(script *Script, source string) (*Script, error) {
	if !mayDefine(source) {
		return script, nil
	}
	var nameless *syntax.FuncDecl
	syntax.Walk(script.file, func(node syntax.Node) bool {
		if f, ok := node.(*syntax.FuncDecl); ok && f.Name == nil {
			nameless = f
		}
		return true
	})
	if nameless != nil {
		return nil, &SyntaxError{Line: int(nameless.Pos().Line()), Column: int(nameless.Pos().Col()), Message: "a function has no name"}
	}
	return script, nil
}

// mayDefine says whether a source may define a function: f(), or function f.
func mayDefine(source string) bool {
	if strings.Contains(source, "function") {
		return true
	}
	for {
		_, behind, found := strings.Cut(source, "(")
		if !found {
			return false
		}
		source = behind
		if rest := strings.TrimLeft(source[:min(63, len(source))], " \t\\\n"); rest == "" || rest[0] == ')' {
			return true
		}
	}
}

// nesting is the greatest depth of opening brackets and substitutions, seen
// without regard to quotes: never less than the parser's.
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
