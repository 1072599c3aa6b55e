package shellanalysis

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// rewriteOptions say how a syntax tree is changed.
type rewriteOptions struct {
	reversed bool   // branches in the opposite order
	name     string // what $0 is; empty: as it is
	loops    *int   // how many loops have a number
}

// rewrite changes statements so that the interpreter takes every branch, comes to the end
// of every loop, starts nothing in the background, and tells of variables that are set.
//
//	if a; then b; else c; fi    a; b; c
//	a && b                      a; b
//	a | b                       b <<< "$(a)"
//	cmd <(a)                    cmd $(substitute <<< "$(a)")
//	x=1                         x=1; set x
func rewrite(stmts []*syntax.Stmt, o rewriteOptions) ([]*syntax.Stmt, error) {
	w := &rewriter{rewriteOptions: o}
	out := w.stmts(stmts)
	for _, name := range w.functions {
		out = append(out, internalStmt("uncalled", name))
	}
	return out, w.err
}

type rewriter struct {
	rewriteOptions
	functions []string
	fed       bool // a command around what is rewritten reads from a pipe or a redirection
	err       error
}

var (
	errBraces      = errors.New("the braces of the command make too many words")
	errExpansions  = errors.New("a word of the command has too many expansions")
	errReplacement = errors.New("a replacement in the command is itself made of variables")
)

func (w *rewriter) stmts(list []*syntax.Stmt) []*syntax.Stmt {
	var out []*syntax.Stmt
	for _, stmt := range list {
		if stmt != nil {
			out = append(out, w.stmt(stmt)...)
		}
	}
	return out
}

// stmt is a statement as others that do the same.
func (w *rewriter) stmt(stmt *syntax.Stmt) []*syntax.Stmt {
	before, redirs := w.redirects(stmt.Redirs)
	outer, piped := w.fed, slices.ContainsFunc(stmt.Redirs, isInput)
	_, simple := stmt.Cmd.(*syntax.CallExpr)
	w.fed = outer || piped && !simple
	cmds := w.command(stmt.Cmd, piped)
	w.fed = outer
	if len(redirs) == 0 {
		return append(before, cmds...)
	}
	only := &syntax.Stmt{}
	if len(cmds) == 1 && len(cmds[0].Redirs) == 0 {
		only = cmds[0]
	} else if len(cmds) > 0 {
		only.Cmd = &syntax.Block{Stmts: cmds}
	} else {
		only = internalStmt("true")
	}
	only.Redirs = redirs
	return append(before, only)
}

// isInput says whether a redirection gives something to read.
func isInput(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return true
	}
	return false
}

// command is a command as statements that do the same.
func (w *rewriter) command(cmd syntax.Command, piped bool) []*syntax.Stmt {
	switch cmd := cmd.(type) {
	case nil:
		return nil
	case *syntax.CallExpr:
		return w.simple(cmd, piped)
	case *syntax.Block:
		return w.stmts(cmd.Stmts)
	case *syntax.Subshell:
		cmd.Stmts = append(w.stmts(cmd.Stmts), internalStmt("true"))
		return []*syntax.Stmt{{Cmd: cmd}}
	case *syntax.BinaryCmd:
		return w.binary(cmd)
	case *syntax.IfClause:
		return w.conditional(cmd)
	case *syntax.CaseClause:
		return w.cases(cmd)
	case *syntax.WhileClause:
		return w.while(cmd)
	case *syntax.ForClause:
		return w.forLoop(cmd)
	case *syntax.FuncDecl:
		return w.function(cmd)
	case *syntax.DeclClause:
		return w.declaration(cmd)
	case *syntax.TimeClause:
		return w.stmts([]*syntax.Stmt{cmd.Stmt})
	case *syntax.CoprocClause:
		return w.stmt(cmd.Stmt)
	case *syntax.ArithmCmd, *syntax.LetClause, *syntax.TestClause:
		w.inside(cmd)
		return []*syntax.Stmt{{Cmd: cmd}}
	}
	w.err = errors.New("the command uses a form that cannot be followed")
	return nil
}

// simple is a simple command, and what tells of its variables.
func (w *rewriter) simple(call *syntax.CallExpr, piped bool) []*syntax.Stmt {
	var names []string
	for _, assign := range call.Assigns {
		w.assign(assign)
		if assign.Name != nil {
			names = append(names, assign.Name.Value)
		}
	}
	call.Args = w.words(call.Args)
	stmt := &syntax.Stmt{Cmd: call}
	if len(call.Args) == 0 {
		return []*syntax.Stmt{stmt, internalStmt("set", names...)}
	}
	var prefix []*syntax.Word
	if w.fed {
		prefix = append(prefix, textWord(internalPrefix+"fed"))
	}
	if piped {
		prefix = append(prefix, textWord(internalPrefix+"piped"))
	}
	if len(names) > 0 {
		prefix = append(prefix, textWord(internalPrefix+"with"), textWord(strings.Join(names, ",")))
	}
	call.Args = append(prefix, call.Args...)
	return []*syntax.Stmt{stmt}
}

func (w *rewriter) binary(cmd *syntax.BinaryCmd) []*syntax.Stmt {
	if cmd.Op == syntax.AndStmt || cmd.Op == syntax.OrStmt {
		return append(w.stmt(cmd.X), w.stmt(cmd.Y)...)
	}
	cmd.Y.Redirs = append([]*syntax.Redirect{hereString(cmd.X)}, cmd.Y.Redirs...)
	return w.stmt(cmd.Y)
}

// hereString gives what a statement prints as input.
func hereString(stmt *syntax.Stmt) *syntax.Redirect {
	return &syntax.Redirect{Op: syntax.WordHdoc, Word: &syntax.Word{Parts: []syntax.WordPart{
		&syntax.DblQuoted{Parts: []syntax.WordPart{&syntax.CmdSubst{Stmts: []*syntax.Stmt{stmt}}}},
	}}}
}

// branches are lists of statements, one behind the other.
func (w *rewriter) branches(lists ...[]*syntax.Stmt) []*syntax.Stmt {
	var out []*syntax.Stmt
	for i := range lists {
		if w.reversed {
			i = len(lists) - 1 - i
		}
		out = append(out, lists[i]...)
	}
	return out
}

func (w *rewriter) conditional(cmd *syntax.IfClause) []*syntax.Stmt {
	cond, then := w.stmts(cmd.Cond), w.stmts(cmd.Then)
	var other []*syntax.Stmt
	if cmd.Else != nil {
		other = w.conditional(cmd.Else)
	}
	return append(cond, w.branches(then, other)...)
}

func (w *rewriter) cases(cmd *syntax.CaseClause) []*syntax.Stmt {
	var lists [][]*syntax.Stmt
	for _, item := range cmd.Items {
		words := []*syntax.Word{textWord(":")}
		for _, pattern := range item.Patterns {
			words = append(words, w.word(pattern))
		}
		list := []*syntax.Stmt{{Cmd: &syntax.CallExpr{Args: words}}}
		lists = append(lists, append(list, w.stmts(item.Stmts)...))
	}
	first := &syntax.Stmt{Cmd: &syntax.CallExpr{Args: []*syntax.Word{textWord(":"), w.word(cmd.Word)}}}
	return append([]*syntax.Stmt{first}, w.branches(lists...)...)
}

// function is a declaration; what the function does is looked at even if it is not called.
func (w *rewriter) function(cmd *syntax.FuncDecl) []*syntax.Stmt {
	if cmd.Name.Value == "builtin" {
		w.err = errors.New("the command takes the name of a builtin for a function")
		return nil
	}
	body := append([]*syntax.Stmt{internalStmt("enter")}, w.stmt(cmd.Body)...)
	cmd.Body = &syntax.Stmt{Cmd: &syntax.Block{Stmts: append(body, internalStmt("leave"))}}
	cmd.RsrvWord, cmd.Parens = false, true
	w.functions = append(w.functions, cmd.Name.Value)
	return []*syntax.Stmt{{Cmd: cmd}, internalStmt("function", cmd.Name.Value)}
}

// declaration is declare, export and the like, and what tells of it.
func (w *rewriter) declaration(cmd *syntax.DeclClause) []*syntax.Stmt {
	tell := []*syntax.Word{textWord(internalPrefix + "declare"), textWord(cmd.Variant.Value)}
	var kept []*syntax.Assign
	reference := false
	for _, arg := range cmd.Args {
		w.assign(arg)
		switch {
		case arg.Name != nil:
			tell = append(tell, textWord(arg.Name.Value))
		case arg.Value != nil:
			tell = append(tell, arg.Value)
			lit := arg.Value.Lit()
			reference = reference || strings.HasPrefix(lit, "-") && strings.Contains(lit, "n")
			if strings.HasPrefix(lit, "-") || strings.HasPrefix(lit, "+") {
				lit = declareFlags(lit)
				if lit == "" {
					continue
				}
				arg.Value = textWord(lit)
			}
		}
		kept = append(kept, arg)
	}
	told := &syntax.Stmt{Cmd: &syntax.CallExpr{Args: tell}}
	if cmd.Variant.Value == "local" {
		cmd.Variant = literal("declare")
	}
	cmd.Args = kept
	if len(kept) == 0 {
		return []*syntax.Stmt{told}
	}
	return []*syntax.Stmt{{Cmd: cmd}, told}
}

// declareFlags are the options that the interpreter knows and that matter here.
func declareFlags(flags string) string {
	for _, flag := range []string{"n", "A", "a", "x", "p"} {
		if strings.Contains(flags, flag) && flags[0] == '-' && flag != "p" {
			return "-" + flag
		}
	}
	return ""
}

func (w *rewriter) assign(assign *syntax.Assign) {
	if assign.Value != nil {
		assign.Value = unescaped(w.word(assign.Value))
	}
	if assign.Index != nil {
		w.inside(assign.Index)
	}
	if assign.Array != nil {
		var elems []*syntax.ArrayElem
		for _, elem := range assign.Array.Elems {
			if elem.Index != nil {
				w.inside(elem.Index)
			}
			if elem.Value == nil {
				elems = append(elems, elem)
				continue
			}
			for _, value := range w.words([]*syntax.Word{elem.Value}) {
				elems = append(elems, &syntax.ArrayElem{Index: elem.Index, Value: value})
			}
		}
		assign.Array.Elems = elems
	}
}
