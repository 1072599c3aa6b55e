package shellanalysis

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

func (w *rewriter) loopID() string {
	*w.loops++
	return strconv.Itoa(*w.loops)
}

func (w *rewriter) while(cmd *syntax.WhileClause) []*syntax.Stmt {
	kind := loopKind(cmd.Cond)
	if cmd.Until {
		kind, cmd.Until = "until", false
	}
	cmd.Cond = append(w.stmts(cmd.Cond), internalStmt("condition", w.loopID(), kind))
	cmd.Do = append(w.stmts(cmd.Do), internalStmt("true"))
	return []*syntax.Stmt{{Cmd: cmd}}
}

// loopKind says what a condition depends on: lines that are read, a test, or a program.
func loopKind(cond []*syntax.Stmt) string {
	kind := "program"
	for _, stmt := range cond {
		syntax.Walk(stmt, func(node syntax.Node) bool {
			switch node := node.(type) {
			case *syntax.CallExpr:
				if len(node.Args) > 0 {
					switch node.Args[0].Lit() {
					case "read":
						kind = "read"
					case "[", "test", "getopts":
						kind = "test"
					}
				}
			case *syntax.ArithmCmd, *syntax.TestClause:
				kind = "test"
			}
			return true
		})
	}
	return kind
}

func (w *rewriter) forLoop(cmd *syntax.ForClause) []*syntax.Stmt {
	cmd.Select = false
	cmd.Braces = false
	switch loop := cmd.Loop.(type) {
	case *syntax.WordIter:
		loop.Items = w.words(loop.Items)
		cmd.Do = append([]*syntax.Stmt{internalStmt("round", w.loopID())}, w.stmts(cmd.Do)...)
		return []*syntax.Stmt{{Cmd: cmd}}
	case *syntax.CStyleLoop:
		return w.counted(loop, cmd.Do)
	}
	return nil
}

// counted is a loop over numbers as one with a test.
func (w *rewriter) counted(loop *syntax.CStyleLoop, do []*syntax.Stmt) []*syntax.Stmt {
	arithm := func(x syntax.ArithmExpr) []*syntax.Stmt {
		if x == nil {
			return nil
		}
		cmd := &syntax.ArithmCmd{X: x}
		w.inside(cmd)
		return []*syntax.Stmt{{Cmd: cmd}}
	}
	body := append(w.stmts(do), arithm(loop.Post)...)
	cond := append(arithm(loop.Cond), internalStmt("condition", w.loopID(), "test"))
	while := &syntax.Stmt{Cmd: &syntax.WhileClause{Cond: cond, Do: append(body, internalStmt("true"))}}
	return append(arithm(loop.Init), while)
}
