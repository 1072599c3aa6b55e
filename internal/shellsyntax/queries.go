package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// queries print the directory that a tool or a project keeps its programs in.
var queries = []string{
	"go env GOPATH", "go env GOBIN", "go env GOROOT", "npm bin", "npm bin -g", "npm root", "npm root -g", "npm prefix", "npm prefix -g", "pnpm bin", "pnpm root", "yarn bin",
	"brew --prefix", "git rev-parse --show-toplevel", "pwd", "pwd -P",
}

// here are those of them that print a directory of the project.
var here = []string{"git rev-parse --show-toplevel", "pwd", "pwd -P", "npm prefix"}

// queried is a call with its program written out, where that is "$(query)/name": one of
// the well-known queries, and a path below what it prints that stands in the line.
func (z *analyzer) queried(call *syntax.CallExpr) *syntax.CallExpr {
	if len(call.Args) == 0 || len(call.Args[0].Parts) == 0 {
		return call
	}
	parts := call.Args[0].Parts
	if q, ok := parts[0].(*syntax.DblQuoted); ok && len(q.Parts) > 0 && !q.Dollar {
		parts = append(slices.Clip(q.Parts), parts[1:]...)
	}
	subst, ok := parts[0].(*syntax.CmdSubst)
	if !ok || len(parts) != 2 || len(subst.Stmts) != 1 {
		return call
	}
	path, ok := parts[1].(*syntax.Lit)
	if !ok || len(path.Value) < 2 || path.Value[0] != '/' || !isPlain(path.Value) || strings.HasSuffix(path.Value, "/") {
		return call
	}
	root := z.rootOf(subst.Stmts[0])
	if root == "" {
		return call
	}
	program := &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{ValuePos: call.Args[0].Pos(), ValueEnd: call.Args[0].End(), Value: root + path.Value}}}
	return &syntax.CallExpr{Assigns: call.Assigns, Args: append([]*syntax.Word{program}, call.Args[1:]...)}
}

// rootOf is the directory that a query prints, or the query where that is not known;
// empty: it is no query. The directory of the script itself counts as one.
func (z *analyzer) rootOf(stmt *syntax.Stmt) string {
	if stmt.Negated || stmt.Background || !quietly(stmt.Redirs) || !z.x.spend(1) {
		return ""
	}
	switch command := stmt.Cmd.(type) {
	case *syntax.BinaryCmd: // cd "$(dirname "$0")" && pwd
		if command.Op == syntax.AndStmt && isScriptsDirectory(command.X, "cd") && z.rootOf(command.Y) == "." {
			return "."
		}
	case *syntax.CallExpr:
		if isScriptsDirectory(stmt, "dirname") {
			return "."
		}
		words := make([]string, 0, 4)
		for _, arg := range command.Args {
			word, ok := plain(arg)
			if !ok || len(words) == 4 {
				return ""
			}
			words = append(words, word.Value)
		}
		query := strings.Join(words, " ")
		switch {
		case len(command.Assigns) > 0 || !slices.Contains(queries, query):
		case slices.Contains(here, query):
			return "."
		default:
			return "$(" + query + ")"
		}
	}
	return ""
}

// isScriptsDirectory says whether a statement is dirname "$0", or cd to what that prints.
func isScriptsDirectory(stmt *syntax.Stmt, program string) bool {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || nameOf(call) != program || len(call.Assigns) > 0 || stmt.Negated || stmt.Background {
		return false
	}
	args := call.Args[1:]
	if len(args) == 2 && args[0].Lit() == "--" {
		args = args[1:]
	}
	if len(args) != 1 || len(args[0].Parts) != 1 {
		return false
	}
	parts := args[0].Parts
	if q, ok := parts[0].(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		parts = q.Parts
	}
	switch part := parts[0].(type) {
	case *syntax.ParamExp:
		return program == "dirname" && part.Param != nil && part.Exp == nil && part.Slice == nil && part.Repl == nil && !part.Excl && !part.Length && (part.Param.Value == "0" && part.Index == nil || part.Param.Value == "BASH_SOURCE")
	case *syntax.CmdSubst:
		return program == "cd" && len(part.Stmts) == 1 && len(stmt.Redirs) == 0 && isScriptsDirectory(part.Stmts[0], "dirname")
	}
	return false
}
