package shellsyntax

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// indexed is text that runs a command where bash takes it for a number or for the name
// of a variable: the index of an array is worked out, substitutions and all.
var indexed = regexp.MustCompile("[A-Za-z_][A-Za-z0-9_]*\\[[^\\]]*(?:\\$\\(|`)")

// oddValue looks at the text that a variable gets.
func (z *analyzer) oddValue(value Word) {
	if value.Static && mentions(value.Value, "$(", "`") && indexed.MatchString(value.Value) {
		z.odd(Indirection, value.Value, "the text holds a command in the index of an array, which arithmetic would run")
	}
}

// oddInput looks at what read gives to variables.
func (z *analyzer) oddInput(command *Command) {
	if command.Input == nil {
		return
	}
	switch command.Name() {
	case "read", "mapfile", "readarray":
		z.oddValue(*command.Input)
	}
}

// oddPrompts finds ${x@P}, which runs the substitutions in the text of a variable.
func (z *analyzer) oddPrompts(file *syntax.File) {
	if !mentions(z.source, "@P") {
		return
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		p, ok := node.(*syntax.ParamExp)
		if !ok || p.Param == nil || p.Exp == nil || p.Exp.Op != syntax.OtherParamOps || p.Exp.Word.Lit() != "P" {
			return true
		}
		v := z.x.vars[p.Param.Value]
		if v != nil && (v.open || slices.ContainsFunc(v.values, substitutes) || slices.ContainsFunc(v.items, substitutes)) {
			z.oddAt(Indirection, p, "the text of a variable is run as a prompt is")
		}
		return true
	})
}

func substitutes(text string) bool { return mentions(text, "$(", "`") }

// oddCoproc finds a shell that the line talks to, or that reads from a named pipe.
func (z *analyzer) oddCoproc(clause *syntax.CoprocClause) {
	for _, call := range callsOf(clause.Stmt) {
		if name := z.nameOf(call.Args[0]); IsShell(name) && z.readsCode(call.Args[1:]) {
			z.oddAt(Indirection, clause, "a shell runs what the line sends to it")
			return
		}
	}
}

// oddPipes finds shells that read from a named pipe which the line makes.
func (z *analyzer) oddPipes() {
	var pipes []string
	for _, command := range z.a.Commands {
		if name := command.Name(); name == "mkfifo" || name == "mknod" {
			for _, word := range command.Words[1:] {
				pipes = append(pipes, word.Value)
			}
		}
	}
	if len(pipes) == 0 {
		return
	}
	isPipe := func(word Word) bool { return !strings.HasPrefix(word.Value, "-") && slices.Contains(pipes, word.Value) }
	for _, command := range z.a.Commands {
		if name := command.Name(); (IsShell(name) || name == "source" || name == ".") && (slices.ContainsFunc(command.Words[1:], isPipe) || slices.ContainsFunc(command.ReadsFrom, isPipe)) {
			z.odd(Indirection, command.String(), "a shell runs what comes through a named pipe")
		}
	}
}

// joinsItems says whether a word joins the items of an array, or the arguments, with
// the first character of IFS.
func joinsItems(word *syntax.Word) bool {
	parts := word.Parts
	if q, ok := parts[0].(*syntax.DblQuoted); ok && len(parts) == 1 {
		parts = q.Parts
	}
	p, ok := firstPart(parts).(*syntax.ParamExp)
	if !ok || p.Param == nil {
		return false
	}
	index, _ := p.Index.(*syntax.Word)
	return p.Param.Value == "*" || index != nil && index.Lit() == "*"
}
