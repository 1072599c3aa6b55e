package shellsyntax

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// A shell without a file runs what it reads. Its input can come from far away: from a
// redirection of the group, the loop or the function that it stands in, or from exec.

func isInputRedirect(redirect *syntax.Redirect) bool {
	switch redirect.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return true
	}
	return false
}

// feed marks the shells in a group that gets its input by a redirection.
func (z *analyzer) feed(stmt *syntax.Stmt) {
	for _, call := range callsOf(stmt) {
		if len(call.Args) > 0 && IsShell(z.nameOf(call.Args[0])) && z.x.spend(1) {
			z.stageOf(call).fed = true
		}
	}
}

// fedByHand says whether a shell reads from a descriptor that something opened before.
func fedByHand(call *syntax.CallExpr, at *stage) bool {
	return IsShell(nameOf(call)) && slices.ContainsFunc(at.redirects, func(r *syntax.Redirect) bool {
		return r.Op == syntax.DplIn && r.Word.Lit() != "-"
	})
}

// mayBeFed says whether a shell may get its input from around it: it stands in a
// function, or exec changes what the line reads.
func (z *analyzer) mayBeFed(call *syntax.CallExpr) bool {
	return z.functions != nil && z.functions.around(call.Pos()) != nil || mentions(z.source, "exec ") && mentions(z.source, "<")
}
