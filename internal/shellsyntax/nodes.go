package shellsyntax

import "mvdan.cc/sh/v3/syntax"

// nodesOf are the nodes of a tree that say what runs, the outer ones first: its
// statements, commands and loops, and what sets variables. Looking at a list several
// times is much cheaper than walking through a tree.
func nodesOf(file *syntax.File) []syntax.Node {
	nodes := make([]syntax.Node, 0, min(8+file.End().Offset()/4, 512))
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Word:
			return !isText(node.Parts)
		case *syntax.Lit, *syntax.SglQuoted, *syntax.Comment:
			return false
		case *syntax.Stmt, *syntax.BinaryCmd, *syntax.CallExpr, *syntax.DeclClause, *syntax.TestClause, *syntax.LetClause, *syntax.FuncDecl,
			*syntax.ForClause, *syntax.WhileClause, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.Assign:
			nodes = append(nodes, node)
		}
		return true
	})
	return nodes
}

// isText says whether parts of a word hold no expansion.
func isText(parts []syntax.WordPart) bool {
	for _, part := range parts {
		switch part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		default:
			return false
		}
	}
	return true
}
