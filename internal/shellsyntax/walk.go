package shellsyntax

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

func (z *analyzer) file(file *syntax.File, via []string, depth int) {
	nodes := z.nodesOf(file)
	if mayAssign(z.source) || mentions(z.source, "for ", "read", "mapfile", "getopts", "set -", "printf", "unset") {
		z.x.learn(nodes)
	}
	if mentions(z.source, "read ") {
		for _, node := range nodes {
			z.x.learnInput(node)
		}
	}
	if assignsByDefault(z.source) {
		z.x.learnDefaults(file)
	}
	z.oddPrompts(file)
	if mayDefine(z.source) || mayFork(z.source) && mentions(z.source, "while", "until", "for") {
		z.bombs(nodes)
	}
	if z.functions != nil || mayDefine(z.source) {
		z.define(nodes)
	}
	for _, node := range nodes {
		if len(z.a.Commands) > maxCommands || !z.x.spend(1) {
			z.a.Overflow = true
			return
		}
		switch node := node.(type) {
		case *syntax.Stmt:
			z.redirected(node, via, depth)
		case *syntax.BinaryCmd:
			if (node.Op == syntax.Pipe || node.Op == syntax.PipeAll) && !z.inside[node] {
				z.pipe(node)
			}
		case *syntax.CallExpr:
			at := z.byCall[node]
			if at == nil {
				at = &alone
			}
			z.call(node, at, via, depth)
		case *syntax.DeclClause:
			z.declare(node, via)
			z.oddIndex(node)
		case *syntax.TestClause, *syntax.LetClause:
			z.oddIndex(node)
		case *syntax.FuncDecl:
			z.function(node)
		case *syntax.ForClause:
			z.loop(node, via, depth)
		case *syntax.CoprocClause:
			z.oddCoproc(node)
		case *syntax.CmdSubst:
			z.within(node)
		case *syntax.ProcSubst:
			z.within(node)
		}
	}
}

func (z *analyzer) call(call *syntax.CallExpr, at *stage, via []string, depth int) {
	if len(call.Args) > 1 && call.Args[0].Lit() == "--" { // time -- x
		inner := *call
		inner.Args = call.Args[1:]
		call = &inner
	}
	call = z.queried(call)
	if z.functions != nil {
		z.entered(call, at, via, depth)
	}
	command := z.commands.one()
	command.Via, command.Depth, command.Inner = via, depth, at.inner
	command.Piped, command.PipedFrom = at.input != nil || at.fed, at.from
	z.set(command, call.Assigns)
	z.redirect(command, at.redirects)
	command.Piped = command.Piped || fedByHand(call, at)
	var substituted sources
	for _, arg := range call.Args {
		substituted |= z.x.sources(arg)
	}
	command.Substituted = z.x.addNames(command.Substituted, substituted)
	if at.input != nil && command.Input == nil && runsInput(nameOf(call)) {
		if output, known := z.x.piped(at.input); known {
			command.Input = &Word{Value: output, Static: true}
		}
	}
	z.oddSet(command)
	if len(call.Args) > 0 {
		z.oddCall(call, command)
	}
	if at.input != nil && wrapsXargs(call) {
		command.Operands = z.operands(at.input[len(at.input)-1])
	}
	z.vanishing(call, at, via, depth)
	z.reads = at.input
	variants := z.variants(call.Args)
	if z.functions != nil {
		z.called(call, variants)
	}
	for i, words := range variants {
		one := command
		if i+1 < len(variants) {
			one = z.placed(*command)
		}
		one.Words = words
		one.Guess = z.vanished > 0 || slices.ContainsFunc(words, func(w Word) bool { return w.Guess })
		if i > 0 && !one.Guess && len(words) == 0 {
			continue
		}
		z.add(one, depth)
	}
}

// vanishing looks at a command without the variable that it begins with: that may be
// empty where the line sets it in another place, or another process. $x rm -rf a
func (z *analyzer) vanishing(call *syntax.CallExpr, at *stage, via []string, depth int) {
	if len(call.Args) < 2 || len(call.Args[0].Parts) != 1 {
		return
	}
	p, ok := call.Args[0].Parts[0].(*syntax.ParamExp)
	if !ok || p.Param == nil || z.x.vars[p.Param.Value] == nil {
		return
	}
	if z.vanished == maxVanished {
		z.x.large = true
		return
	}
	inner := *call
	inner.Args = call.Args[1:]
	z.vanished++
	z.call(&inner, at, via, depth)
	z.vanished--
}

// add lists a command and what it runs in its turn.
func (z *analyzer) add(command *Command, depth int) {
	if len(command.Words) == 0 && len(command.Assigned) == 0 && len(command.WritesTo) == 0 && len(command.ReadsFrom) == 0 {
		return
	}
	if len(z.a.Commands) > maxCommands {
		z.a.Overflow = true
		return
	}
	if depth >= maxUnwrapped {
		command.Opaque, z.a.Overflow = "commands are nested too deep", true
		z.list(command)
		return
	}
	if command.Name() == "xargs" && command.Input != nil && command.Input.Static {
		command.Words = append(slices.Clip(command.Words), z.x.wordsOf(command.Input.Value)...)
	}
	inner := insideOf(command, command.Input)
	z.tellOf(command, &inner)
	command.Opaque = first(command.Opaque, inner.opaque)
	command.Read = len(inner.commands) > 0 && command.isRead(inner)
	if command.Depth > 0 && len(command.Settings) > 0 && len(command.Words) == 0 {
		z.oddSet(command)
	}
	z.list(command)
	z.oddInput(command)
	z.writes(command, z.reads)
	if len(inner.commands) == 0 && len(inner.scripts) == 0 {
		return
	}
	via := append(slices.Clone(command.Via), inner.as)
	for i := range inner.commands {
		one := &inner.commands[i]
		one.Via, one.Piped, one.PipedFrom, one.Guess, one.Depth = via, command.Piped, command.PipedFrom, command.Guess, depth+1
		one.Substituted, one.ReadsFrom, one.Input = command.Substituted, command.ReadsFrom, command.Input
		one.WritesTo = append(one.WritesTo, command.WritesTo...)
		one.Settings = append(slices.Clip(one.Settings), command.Settings...)
		one.Inner, one.Operands = command.Inner, command.Operands
		one.Words = z.x.operatedWords(command, one)
		z.add(one, depth+1)
	}
	for _, source := range inner.scripts {
		z.scriptWith(inner.args, source, via, depth+1)
	}
}
