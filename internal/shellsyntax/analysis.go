package shellsyntax

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Analysis is what a command line can run, as far as the line itself tells:
// variables that it sets, braces and the output of plain commands are worked out.
// It is made for finding dangers. Where a word can become several things, there
// are several commands.
type Analysis struct {
	Source string // the line as it runs: mended
	// Refused says that the line itself does not parse: the shell tool answers it
	// with a syntax error and runs nothing of it.
	Refused bool
	// Err says why the line cannot be understood; nil: it can. The rest is then about
	// what bash runs before it comes to the error.
	Err *SyntaxError
	// Overflow says that the line is too large to look at all of it.
	Overflow bool
	Commands []*Command
	Dangers  []Danger
	Oddities []Oddity

	made *analyzer // whose memory the commands are in; nil: none
}

// MaxSource is the size of the longest line that is looked at, in bytes; and
// maxCommands how many commands of one.
const (
	MaxSource   = 16 << 10
	maxCommands = 1000
	maxScripts  = 100
	maxPipes    = 1000
)

// Analyze looks at a command line. Release gives back the memory that it takes.
func Analyze(source string) *Analysis {
	return analyzers.Get().(*analyzer).analyze(source) // one that panics does not come back
}

func (z *analyzer) analyze(source string) *Analysis {
	a := &Analysis{Source: source}
	if len(source) > MaxSource || strings.Count(source, "|") > maxPipes {
		a.Overflow = true
		return a
	}
	source, _ = Mend(source)
	a.Source = source
	z.a = a
	a.Commands = z.listed
	z.script(source, nil, 0)
	z.runWritten()
	z.oddPipes()
	z.oddReferences()
	z.dangers()
	a.Overflow = a.Overflow || z.x.large
	z.listed, a.made = a.Commands, z
	return a
}

// analyzer walks through one line and all that it runs.
type analyzer struct {
	a       *Analysis
	x       *expander
	scripts int
	bomb    string            // name of a function that is a fork bomb
	files   map[string]string // what the line downloads, by file, and the program that does
	fetched bool              // it downloads files whose names are not known
	plain   map[string]bool   // files that the line decodes
	written map[string]string // what the line writes into files, by the last part of their names
	reads   []*syntax.Stmt    // stages in front of the command that is walked through
	source  string            // of the script that is walked through
	tail    bool              // that it is the line itself

	functions *functions // of the script that is walked through; nil: there are none
	memory
}

// list puts a command behind the others.
func (z *analyzer) list(command *Command) { z.a.Commands = append(z.a.Commands, command) }

// placed is a command where commands of the analysis lie.
func (z *analyzer) placed(command Command) *Command {
	place := z.commands.one()
	*place = command
	return place
}

func (z *analyzer) script(source string, via []string, depth int) {
	if z.scripts++; z.scripts > maxScripts || !z.x.spend(len(source)/16) {
		z.a.Overflow = true
		return
	}
	script, err := Parse(source)
	if err != nil {
		z.a.Refused = z.a.Refused || depth == 0
		var why *SyntaxError
		if errors.As(err, &why) && z.a.Err == nil {
			z.a.Err = why
		}
		if bracketed.MatchString(source) {
			z.odd(Glob, bracketed.FindString(source), "a file name pattern decides which program runs")
		}
		if script = beforeError(source); script == nil {
			return
		}
	}
	before, outer, stacked := z.source, z.tail, len(z.nodes)
	z.source, z.tail = source, depth == 0
	z.lexical(script, source)
	around := z.functions
	z.file(script.file, via, depth)
	z.leave(around)
	z.source, z.tail, z.nodes = before, outer, z.nodes[:stacked]
	if mayDefine(source) {
		if name := script.forkBomb(); name != "" {
			z.bomb = name
		}
	}
}

// bracketed is a program named by a pattern such as r[m], which the parser takes
// for the item of an array.
var bracketed = regexp.MustCompile(`(?:^|[;&|(\n]\s*)[A-Za-z_]\w*\[[^\]=]*\]\s`)

// beforeError is the part of a line that bash runs before it sees the error; nil: none.
func beforeError(source string) *Script {
	if nesting(source) > maxNesting {
		return nil
	}
	file := &syntax.File{}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	failed := false
	for stmt, err := range parser.StmtsSeq(strings.NewReader(source)) {
		failed = failed || err != nil // it goes on behind an error, and must not be stopped
		if !failed && stmt != nil {
			file.Stmts = append(file.Stmts, stmt)
		}
	}
	script, err := understood(&Script{file: file}, source)
	if err != nil || len(file.Stmts) == 0 {
		return nil
	}
	return script
}

func mentions(source string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(source, word) })
}

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
	call = z.queried(call)
	if z.functions != nil {
		z.entered(call, at, via, depth)
	}
	command := z.commands.one()
	command.Via, command.Depth, command.Inner = via, depth, at.inner
	command.Piped, command.PipedFrom = at.input != nil || at.fed, at.from
	z.set(command, call.Assigns)
	z.redirect(command, at.redirects)
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
		one.Guess = slices.ContainsFunc(words, func(w Word) bool { return w.Guess })
		if i > 0 && !one.Guess && len(words) == 0 {
			continue
		}
		z.add(one, depth)
	}
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
