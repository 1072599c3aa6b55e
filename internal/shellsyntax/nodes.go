package shellsyntax

import "mvdan.cc/sh/v3/syntax"

// nodesOf are the nodes of a tree that say what runs, the outer ones first: its
// statements, commands and loops, and what sets variables. Looking at a list several
// times is much cheaper than walking through a tree. They stand on the stack of the
// analyzer, who takes them off.
func (z *analyzer) nodesOf(file *syntax.File) []syntax.Node {
	before := len(z.nodes)
	z.visitAll(file.Stmts)
	return z.nodes[before:]
}

func (z *analyzer) visitAll(stmts []*syntax.Stmt) {
	for _, stmt := range stmts {
		z.visit(stmt)
	}
}

// visit knows the kinds of nodes that most lines are made of, and goes through them
// as syntax.Walk does, which is left to go through the others.
func (z *analyzer) visit(node syntax.Node) {
	switch node := node.(type) {
	case *syntax.Stmt:
		z.nodes = append(z.nodes, node)
		if node.Cmd != nil {
			z.visit(node.Cmd)
		}
		for _, redirect := range node.Redirs {
			z.visitWord(redirect.Word)
			z.visitWord(redirect.Hdoc)
		}
	case *syntax.CallExpr:
		z.nodes = append(z.nodes, node)
		for _, assign := range node.Assigns {
			z.visit(assign)
		}
		for _, arg := range node.Args {
			z.visitWord(arg)
		}
	case *syntax.Assign:
		z.nodes = append(z.nodes, node)
		z.visitWord(node.Value)
		if node.Index != nil {
			z.walk(node.Index)
		}
		if node.Array != nil {
			z.walk(node.Array)
		}
	case *syntax.BinaryCmd:
		z.nodes = append(z.nodes, node)
		z.visit(node.X)
		z.visit(node.Y)
	case *syntax.Subshell:
		z.visitAll(node.Stmts)
	case *syntax.Block:
		z.visitAll(node.Stmts)
	case *syntax.CmdSubst:
		z.nodes = append(z.nodes, node)
		z.visitAll(node.Stmts)
	case *syntax.ForClause:
		z.nodes = append(z.nodes, node)
		if words, ok := node.Loop.(*syntax.WordIter); ok {
			for _, item := range words.Items {
				z.visitWord(item)
			}
		} else {
			z.walk(node.Loop)
		}
		z.visitAll(node.Do)
	case *syntax.WhileClause:
		z.nodes = append(z.nodes, node)
		z.visitAll(node.Cond)
		z.visitAll(node.Do)
	default:
		z.walk(node)
	}
}

func (z *analyzer) visitWord(word *syntax.Word) {
	if word != nil {
		z.visitParts(word.Parts)
	}
}

func (z *analyzer) visitParts(parts []syntax.WordPart) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			z.visitParts(part.Parts)
		case *syntax.ParamExp:
			if !isBareParameter(part) {
				z.walk(part)
			}
		default:
			z.visit(part)
		}
	}
}

func (z *analyzer) walk(node syntax.Node) {
	syntax.Walk(node, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Word:
			return !isText(node.Parts)
		case *syntax.Lit, *syntax.SglQuoted, *syntax.Comment:
			return false
		case *syntax.Stmt, *syntax.BinaryCmd, *syntax.CallExpr, *syntax.DeclClause, *syntax.TestClause, *syntax.LetClause, *syntax.FuncDecl,
			*syntax.ForClause, *syntax.WhileClause, *syntax.CoprocClause, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.Assign:
			z.nodes = append(z.nodes, node)
		}
		return true
	})
}

// isBareParameter says whether an expansion is $x or ${x}, with nothing inside.
func isBareParameter(p *syntax.ParamExp) bool {
	return p.Exp == nil && p.Index == nil && p.Slice == nil && p.Repl == nil && p.NestedParam == nil && p.Flags == nil
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
