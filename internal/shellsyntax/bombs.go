package shellsyntax

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// bombs finds what starts processes without end: an endless loop with a
// background job, and functions that start each other in the background.
func (z *analyzer) bombs(nodes []syntax.Node) {
	starts := map[string][]string{} // the functions that a function calls
	forks := map[string]bool{}      // functions with a background job or a pipe
	var order []string              // of the functions in the source
	for _, node := range nodes {
		switch node := node.(type) {
		case *syntax.WhileClause:
			if endless(node) && background(node.Do) {
				z.bomb = "while"
			}
		case *syntax.ForClause:
			if loop, ok := node.Loop.(*syntax.CStyleLoop); ok && loop.Cond == nil && background(node.Do) {
				z.bomb = "for"
			}
		case *syntax.FuncDecl:
			if node.Name != nil {
				names, parallel := called(node.Body)
				if _, known := starts[node.Name.Value]; !known {
					order = append(order, node.Name.Value)
				}
				if len(starts[node.Name.Value]) < 32 && len(starts) < 256 {
					starts[node.Name.Value] = append(starts[node.Name.Value], names...)
				}
				forks[node.Name.Value] = forks[node.Name.Value] || parallel
			}
		}
	}
	for _, name := range order {
		for _, other := range starts[name] {
			for _, back := range starts[other] {
				if back == name && other != name && (forks[name] || forks[other]) {
					z.bomb = name
					return
				}
			}
		}
	}
}

// mayFork says whether a source may start something in the background: it has a
// single &.
func mayFork(source string) bool {
	for {
		_, behind, found := strings.Cut(source, "&")
		if !found {
			return false
		}
		if source = strings.TrimLeft(behind, "&"); len(source) == len(behind) {
			return true
		}
	}
}

func endless(loop *syntax.WhileClause) bool {
	if len(loop.Cond) != 1 {
		return false
	}
	call, ok := loop.Cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	name := nameOf(call)
	return !loop.Until && (name == "true" || name == ":") || loop.Until && name == "false"
}

// background says whether statements leave something running and wait for nothing.
func background(stmts []*syntax.Stmt) bool {
	for _, stmt := range stmts {
		if stmt.Background {
			return !waits(stmts)
		}
	}
	return false
}

func waits(stmts []*syntax.Stmt) bool {
	for _, stmt := range stmts {
		if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && !stmt.Background {
			if name := nameOf(call); name == "wait" || name == "sleep" || name == "break" || name == "read" {
				return true
			}
		}
	}
	return false
}

// called are the commands of a function, and whether it runs some at the same time.
func called(body *syntax.Stmt) (names []string, parallel bool) {
	syntax.Walk(body, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Stmt:
			parallel = parallel || node.Background
		case *syntax.BinaryCmd:
			parallel = parallel || node.Op == syntax.Pipe
		case *syntax.CallExpr:
			if name := nameOf(node); name != "" && len(names) < 32 {
				names = append(names, name)
			}
		}
		return true
	})
	return names, parallel
}
