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
func (z *analyzer) within(node syntax.Node) {
	out, _ := node.(*syntax.ProcSubst)
	syntax.Walk(node, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok {
			s := z.stageOf(call)
			s.inner = true
			s.fed = s.fed || out != nil && out.Op == syntax.CmdOut
		}
		return z.x.spend(1)
	})
}

// loop lists the words that a loop goes over, which its commands may use.
func (z *analyzer) loop(clause *syntax.ForClause, via []string, depth int) {
	words, ok := clause.Loop.(*syntax.WordIter)
	if !ok || len(words.Items) == 0 || !z.x.spend(len(words.Items)) {
		return
	}
	command := z.placed(Command{Via: via, Depth: depth, Words: append(z.words.take(1 + len(words.Items))[:0], Word{Value: "for", Static: true})})
	for _, item := range words.Items {
		command.Words = append(command.Words, z.x.first(item)...)
	}
	z.list(command)
}

// stageOf is where a command stands, to be told more about it.
func (z *analyzer) stageOf(call *syntax.CallExpr) *stage {
	if z.byCall[call] == nil {
		z.byCall[call] = z.stages.one()
	}
	return z.byCall[call]
}

// redirected hands redirections to the commands that they hold for.
func (z *analyzer) redirected(stmt *syntax.Stmt, via []string, depth int) {
	if len(stmt.Redirs) == 0 {
		return
	}
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok {
		s := z.stageOf(call)
		s.redirects = append(s.redirects, stmt.Redirs...)
		return
	}
	command := z.placed(Command{Via: via, Depth: depth})
	z.redirect(command, stmt.Redirs)
	if slices.ContainsFunc(stmt.Redirs, isInputRedirect) {
		z.feed(stmt)
	}
	if len(command.WritesTo) > 0 {
		z.writesGroup(stmt, command)
	}
	command.Input = nil
	z.list(command)
}

// pipe tells the commands of a pipe what is in front of them.
func (z *analyzer) pipe(node *syntax.BinaryCmd) {
	parts := z.pipeParts(z.pipeParts(make([]*syntax.Stmt, 0, 4), node.X), node.Y)
	from := make([]string, 0, len(parts))
	for i, part := range parts {
		var alone [1]*syntax.CallExpr
		calls := alone[:]
		if call, ok := part.Cmd.(*syntax.CallExpr); ok {
			alone[0] = call
		} else {
			calls = callsOf(part)
		}
		for _, call := range calls {
			if i > 0 {
				s := z.stageOf(call)
				s.from, s.input = from, parts[:i]
			}
		}
		for _, call := range calls {
			if name := nameOf(call); name != "" {
				from = z.named(from, name)
			} else {
				from = z.workedOut(from, call)
			}
			for _, name := range wrappedNames(call) {
				from = z.named(from, name)
			}
		}
	}
}

// workedOut puts the programs that a call may run behind those in front of it, where
// its name has to be worked out.
func (z *analyzer) workedOut(from []string, call *syntax.CallExpr) []string {
	if call = z.queried(call); len(call.Args) == 0 {
		return from
	}
	for _, fields := range z.x.fields(call.Args[0]) {
		if name := programOf(fields); name != "" {
			from = z.named(from, name)
		}
	}
	return from
}

// named puts a program behind those in front of it in a pipe.
func (z *analyzer) named(from []string, name string) []string {
	switch {
	case slices.Contains(from, name):
		return from
	case len(from) >= 64:
		z.x.large = true
		return from
	}
	return append(from, name)
}

// pipeParts puts the stages of a part of a pipe behind the others.
func (z *analyzer) pipeParts(parts []*syntax.Stmt, stmt *syntax.Stmt) []*syntax.Stmt {
	if b, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) && len(stmt.Redirs) == 0 {
		z.inside[b] = true
		return z.pipeParts(z.pipeParts(parts, b.X), b.Y)
	}
	return append(parts, stmt)
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
		if call, simple := stage.Cmd.(*syntax.CallExpr); simple && !prints(nameOf(call)) && nameOf(call) != "" {
			return "", false
		}
		output, known := x.output([]*syntax.Stmt{stage}, input)
		if !known {
			return "", false
		}
		input = &output
	}
	return *input, true
}

// runsInput says whether it matters what a program reads.
func runsInput(name string) bool {
	return name == "" || IsShell(name) || isInterpreter(name) || name == "xargs" || wrappersHave(name) || slices.Contains(clients, name)
}

// clients read commands of a language of their own.
var clients = []string{"psql", "mysql", "mariadb", "sqlite3", "redis-cli", "mongosh", "mongo", "duckdb", "gdb", "ed", "ex", "ftp", "bc", "jshell", "pwsh", "powershell", "groovysh", "clickhouse-client", "irb", "openssl", "envsubst"}

func wrappersHave(name string) bool { _, found := wrappers[name]; return found }
