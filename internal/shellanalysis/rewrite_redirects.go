package shellanalysis

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects are those that the interpreter knows; before them stand calls for what the
// others open.
func (w *rewriter) redirects(redirs []*syntax.Redirect) (before []*syntax.Stmt, kept []*syntax.Redirect) {
	for _, r := range redirs {
		if r.Hdoc != nil {
			r.Hdoc = w.word(r.Hdoc)
		} else if r.Word != nil {
			r.Word = unescaped(w.word(r.Word))
		}
		standard := r.N == nil || slices.Contains([]string{"0", "1", "2"}, r.N.Value)
		if same, found := sameRedirects[r.Op]; found && !isDuplicate(r) {
			r.Op = same
		}
		switch {
		case standard && isFollowed(r):
			kept = append(kept, r)
		case isDuplicate(r), slices.Contains(hereRedirects, r.Op): // they open no file
		case r.Op == syntax.RdrIn:
			before = append(before, openStmt("r", r.Word))
		case r.Op == syntax.RdrInOut:
			before = append(before, openStmt("r", r.Word), openStmt("w", r.Word))
		default:
			before = append(before, openStmt("w", r.Word))
		}
	}
	return before, kept
}

// isFollowed says whether the interpreter can follow a redirection.
func isFollowed(r *syntax.Redirect) bool {
	if isDuplicate(r) {
		return r.Op == syntax.DplOut && slices.Contains([]string{"1", "2", "-"}, r.Word.Lit())
	}
	return slices.Contains(hereRedirects, r.Op) || slices.Contains(simpleRedirects, r.Op)
}

// isDuplicate says whether a redirection leads to another descriptor, or closes one.
func isDuplicate(r *syntax.Redirect) bool {
	return (r.Op == syntax.DplOut || r.Op == syntax.DplIn) && isDescriptor(r.Word.Lit())
}

// sameRedirects are written in another way: >|file, >&file.
var sameRedirects = map[syntax.RedirOperator]syntax.RedirOperator{
	syntax.RdrClob: syntax.RdrOut, syntax.DplOut: syntax.RdrAll, syntax.DplIn: syntax.RdrAll,
}

var hereRedirects = []syntax.RedirOperator{syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc}

var simpleRedirects = []syntax.RedirOperator{syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll}

// isDescriptor says whether a word is a number of a descriptor, or closes one.
func isDescriptor(word string) bool {
	_, err := strconv.Atoi(strings.TrimSuffix(word, "-"))
	return err == nil || word == "-"
}

func openStmt(how string, name *syntax.Word) *syntax.Stmt {
	return &syntax.Stmt{Cmd: &syntax.CallExpr{Args: []*syntax.Word{textWord(internalPrefix + "open"), textWord(how),
		name}}}
}
