package shellanalysis

import (
	"bytes"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func literal(text string) *syntax.Lit { return &syntax.Lit{Value: text} }

func textWord(text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{literal(text)}}
}

func callStmt(words ...string) *syntax.Stmt {
	call := &syntax.CallExpr{}
	for _, text := range words {
		call.Args = append(call.Args, textWord(text))
	}
	return &syntax.Stmt{Cmd: call}
}

func internalStmt(name string, args ...string) *syntax.Stmt {
	return callStmt(append([]string{internalPrefix + name}, args...)...)
}

// printed is the text of statements.
func printed(stmts []*syntax.Stmt) string {
	var out bytes.Buffer
	if err := syntax.NewPrinter().Print(&out, &syntax.File{Stmts: stmts}); err != nil {
		return ""
	}
	return out.String()
}

// nodeText is a node as it is written.
func nodeText(node syntax.Node) string {
	var out strings.Builder
	switch node := node.(type) {
	case syntax.Command:
		return strings.TrimSpace(printed([]*syntax.Stmt{{Cmd: node}}))
	case *syntax.Assign:
		return strings.TrimSpace(printed([]*syntax.Stmt{{Cmd: &syntax.CallExpr{Assigns: []*syntax.Assign{node}}}}))
	case *syntax.ParamExp:
		return nodeText(&syntax.Word{Parts: []syntax.WordPart{node}})
	}
	if err := syntax.NewPrinter().Print(&out, node); err != nil {
		return ""
	}
	return out.String()
}

// Quote makes one word of a text, which means nothing but itself to a shell.
func Quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
