package shellsyntax

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// printsOnly says whether what a trap runs does no more than print: it is written out,
// and made of echo and printf with text and plain variables. A trap that is taken back
// runs nothing.
func (z *analyzer) printsOnly(body *syntax.Word) bool {
	if simple, ok := plain(body); ok && simple.Value == "-" {
		return true
	}
	quoted, ok := firstPart(body.Parts).(*syntax.SglQuoted)
	if !ok || quoted.Dollar || len(body.Parts) != 1 || !z.x.spend(len(quoted.Value)/16) {
		return false
	}
	script, err := Parse(quoted.Value)
	if err != nil || len(script.file.Stmts) == 0 {
		return false
	}
	for _, stmt := range script.file.Stmts {
		if !printsPlainly(stmt) {
			return false
		}
	}
	return true
}

// printsPlainly says whether a statement is one echo or printf, to the screen.
func printsPlainly(stmt *syntax.Stmt) bool {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) == 0 || !toScreen(stmt.Redirs) {
		return false
	}
	program, ok := plain(call.Args[0])
	if !ok || program.Value != "echo" && program.Value != "printf" {
		return false
	}
	for i, arg := range call.Args[1:] {
		if !showsVariables(arg.Parts) {
			return false
		}
		if i == 0 && program.Value == "printf" { // printf -v sets a variable
			if format := wordOf(arg); !format.Static || strings.HasPrefix(format.Value, "-") {
				return false
			}
		}
	}
	return true
}

// toScreen says whether redirections lead to the screen alone: >&2.
func toScreen(redirects []*syntax.Redirect) bool {
	for _, redirect := range redirects {
		to, ok := plain(redirect.Word)
		if redirect.Op != syntax.DplOut || !ok || to.Value != "2" && to.Value != "1" {
			return false
		}
	}
	return true
}

// showsVariables says whether parts of a word are text and variables, with nothing
// that the shell would have to work out.
func showsVariables(parts []syntax.WordPart) bool {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			if !showsVariables(part.Parts) {
				return false
			}
		case *syntax.ParamExp:
			if !isBareParameter(part) || part.Excl || part.Param == nil {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isNumber says whether a text is made of digits.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
