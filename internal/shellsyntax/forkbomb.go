package shellsyntax

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// forkBomb is the name of a function that calls itself in a pipe or in the background.
func (s *Script) forkBomb() string {
	bomb := ""
	syntax.Walk(s.file, func(node syntax.Node) bool {
		function, ok := node.(*syntax.FuncDecl)
		if !ok {
			return true
		}
		syntax.Walk(function.Body, func(node syntax.Node) bool {
			switch node := node.(type) {
			case *syntax.Stmt:
				if node.Background && calls(node, function.Name.Value) {
					bomb = function.Name.Value
				}
			case *syntax.BinaryCmd:
				if node.Op == syntax.Pipe && (calls(node.X, function.Name.Value) || calls(node.Y, function.Name.Value)) {
					bomb = function.Name.Value
				}
			}
			return true
		})
		return true
	})
	return bomb
}

func calls(stmt *syntax.Stmt, name string) bool {
	return slices.ContainsFunc(callsOf(stmt), func(call *syntax.CallExpr) bool { return nameOf(call) == name })
}
