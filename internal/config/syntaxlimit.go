package config

import (
	"fmt"

	"github.com/goccy/go-yaml/token"
)

// Limits of a text, far above what a configuration needs.
const (
	maxFileSize = 256 << 10 // bytes
	maxDepth    = 64        // levels of nesting
	maxKeys     = 5000
)

var nestedTooDeep = fmt.Sprintf("is nested deeper than %d levels", maxDepth)

// tooMuch is the token at which a text passes what the parser, which is recursive
// and takes quadratic time, should be given.
func tooMuch(tokens token.Tokens) (at *token.Token, why string) {
	flow, marks, line, keys := 0, 0, 0, 0
	var columns []int
	for _, tk := range tokens {
		if tk.Position.Line != line {
			line, marks = tk.Position.Line, 0
		}
		switch tk.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(flow-1, 0)
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType:
			if flow == 0 {
				marks++
			}
		case token.MappingValueType:
			keys++
			if flow == 0 {
				columns = indentations(columns, tk.Position.IndentNum)
			}
		}
		switch {
		case flow > maxDepth || marks > maxDepth || len(columns) > maxDepth:
			return tk, nestedTooDeep
		case keys > maxKeys:
			return tk, fmt.Sprintf("has more than %d keys, which no configuration has", maxKeys)
		}
	}
	return nil, ""
}

// indentations is the stack of the indentations around a line, with its own.
func indentations(stack []int, own int) []int {
	for len(stack) > 0 && stack[len(stack)-1] >= own {
		stack = stack[:len(stack)-1]
	}
	return append(stack, own)
}
