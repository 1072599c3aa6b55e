package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stage is where a simple command stands.
type stage struct {
	redirects []*syntax.Redirect
	from      []string       // programs in front of it in its pipe
	input     []*syntax.Stmt // what is in front of it, as statements; nil: no pipe
	inner     bool           // it stands in a substitution
	fed       bool           // it reads what another command writes into >(…)
}

// alone is where most commands stand: in no pipe, without redirections.
var alone stage

// within marks the commands of a substitution.
func within(node syntax.Node, stages map[*syntax.CallExpr]*stage) {
	out, _ := node.(*syntax.ProcSubst)
	syntax.Walk(node, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok {
			s := stageOf(stages, call)
			s.inner = true
			s.fed = s.fed || out != nil && out.Op == syntax.CmdOut
		}
		return true
	})
}

// loop lists the words that a loop goes over, which its commands may use.
func (z *analyzer) loop(clause *syntax.ForClause, via []string, depth int) {
	words, ok := clause.Loop.(*syntax.WordIter)
	if !ok || len(words.Items) == 0 || len(words.Items) > maxFields {
		return
	}
	command := Command{Via: via, Depth: depth, Words: []Word{{Value: "for", Static: true}}}
	for _, item := range words.Items {
		command.Words = append(command.Words, z.x.fields(item)[0]...)
	}
	z.list(command)
}

func stageOf(stages map[*syntax.CallExpr]*stage, call *syntax.CallExpr) *stage {
	if stages[call] == nil {
		stages[call] = &stage{}
	}
	return stages[call]
}

// redirected hands redirections to the commands that they hold for.
func (z *analyzer) redirected(stmt *syntax.Stmt, stages map[*syntax.CallExpr]*stage, via []string, depth int) {
	if len(stmt.Redirs) == 0 {
		return
	}
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok {
		s := stageOf(stages, call)
		s.redirects = append(s.redirects, stmt.Redirs...)
		return
	}
	command := Command{Via: via, Depth: depth}
	z.redirect(&command, stmt.Redirs)
	command.Input = nil
	z.list(command)
}

// pipe tells the commands of a pipe what is in front of them.
func pipe(node *syntax.BinaryCmd, stages map[*syntax.CallExpr]*stage, inside map[syntax.Node]bool) {
	var parts []*syntax.Stmt
	var flatten func(stmt *syntax.Stmt)
	flatten = func(stmt *syntax.Stmt) {
		if b, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) && len(stmt.Redirs) == 0 {
			inside[b] = true
			flatten(b.X)
			flatten(b.Y)
			return
		}
		parts = append(parts, stmt)
	}
	flatten(node.X)
	flatten(node.Y)
	var from []string
	for i, part := range parts {
		calls := callsOf(part)
		for _, call := range calls {
			if i > 0 {
				s := stageOf(stages, call)
				s.from, s.input = from, parts[:i]
			}
		}
		for _, call := range calls {
			if name := nameOf(call); name != "" && len(from) < 64 && !slices.Contains(from, name) {
				from = append(from, name)
			}
			for _, name := range wrappedNames(call) {
				if !slices.Contains(from, name) && len(from) < 64 {
					from = append(from, name)
				}
			}
		}
	}
}

// wrappedNames are the words of a call that may be a program behind env, sudo or timeout.
func wrappedNames(call *syntax.CallExpr) []string {
	if len(call.Args) < 2 {
		return nil
	}
	if _, wraps := wrappers[nameOf(call)]; !wraps {
		return nil
	}
	var names []string
	for _, arg := range call.Args[1:] {
		if lit := arg.Lit(); lit != "" && !strings.HasPrefix(lit, "-") {
			names = append(names, lit[strings.LastIndexByte(lit, '/')+1:])
		}
	}
	return names
}

// piped is what the stages of a pipe print in the end, where that is plain to see.
func (x *expander) piped(stages []*syntax.Stmt) (string, bool) {
	var input *string
	for _, stage := range stages {
		output, known := x.output([]*syntax.Stmt{stage}, input)
		if !known {
			return "", false
		}
		input = &output
	}
	return *input, true
}
