package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// variants are the lists of words that a command can have.
func (z *analyzer) variants(args []*syntax.Word) [][]Word {
	lists := [][]Word{make([]Word, 0, len(args))}
	for _, arg := range args {
		if word, ok := plain(arg); ok {
			for n := range lists {
				lists[n] = append(lists[n], word)
			}
			continue
		}
		alternatives := z.x.fields(arg)
		for len(lists) < len(alternatives) {
			lists = append(lists, slices.Clone(lists[len(lists)-1]))
		}
		for n := range lists {
			lists[n] = append(lists[n], alternatives[min(n, len(alternatives)-1)]...)
		}
	}
	return lists
}

func (z *analyzer) set(command *Command, assigns []*syntax.Assign) {
	for _, assign := range assigns {
		if assign.Name == nil {
			continue
		}
		name := assign.Name.Value
		command.Assigned = append(command.Assigned, name)
		if assign.Value != nil {
			command.Substituted = append(command.Substituted, z.substituted(assign.Value)...)
			if strings.Contains(z.source, "IFS") && (len(assign.Value.Parts) > 1 || joinedInQuotes(assign.Value)) {
				z.oddBlanks(assign.Value)
			}
			value := z.x.one(assign.Value)
			value.Value = name + "=" + value.Value
			command.Settings = append(command.Settings, value)
		}
	}
}

func (z *analyzer) redirect(command *Command, redirects []*syntax.Redirect) {
	for _, redirect := range redirects {
		switch redirect.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if redirect.Hdoc != nil {
				w := heredoc(redirect)
				command.Input = &w
			}
		case syntax.WordHdoc:
			w := z.x.one(redirect.Word)
			command.Input = &w
			command.Substituted = append(command.Substituted, z.substituted(redirect.Word)...)
		case syntax.RdrIn:
			command.ReadsFrom = append(command.ReadsFrom, z.x.one(redirect.Word))
			command.Substituted = append(command.Substituted, z.substituted(redirect.Word)...)
		case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob, syntax.RdrInOut:
			command.WritesTo = append(command.WritesTo, z.x.one(redirect.Word))
		case syntax.DplOut, syntax.DplIn:
			if w := z.x.one(redirect.Word); strings.Trim(w.Value, "0123456789-") != "" {
				command.WritesTo = append(command.WritesTo, w)
			}
		}
	}
}

// substituted are the programs in the substitutions of a word, and in those that
// the values of its variables come from.
func (z *analyzer) substituted(word *syntax.Word) []string { return z.x.sources(word) }

func (x *expander) sources(word *syntax.Word) []string {
	var names []string
	for _, part := range word.Parts {
		switch part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
			continue
		}
		syntax.Walk(part, func(node syntax.Node) bool {
			if p, ok := node.(*syntax.ParamExp); ok && p.Param != nil {
				if v := x.vars[p.Param.Value]; v != nil {
					names = append(names, v.from...)
				}
			}
			if call, ok := node.(*syntax.CallExpr); ok {
				if name := nameOf(call); name != "" {
					names = append(names, name)
				}
				names = append(names, wrappedNames(call)...)
			}
			return len(names) < 64
		})
	}
	return names
}

func (z *analyzer) declare(clause *syntax.DeclClause, via []string) {
	command := Command{Via: via, Words: []Word{{Value: clause.Variant.Value, Static: true}}}
	if len(clause.Args) > 1 && clause.Variant.Value != "export" && slices.ContainsFunc(clause.Args, func(a *syntax.Assign) bool {
		return a.Name == nil && a.Value != nil && strings.HasPrefix(a.Value.Lit(), "-") && strings.Contains(a.Value.Lit(), "n")
	}) {
		z.odd(Indirection, printed(clause), "a variable stands for another one")
	}
	z.set(&command, clause.Args)
	z.oddSet(&command)
	for _, assign := range clause.Args {
		if assign.Name != nil {
			command.Words = append(command.Words, Word{Value: assign.Name.Value, Static: true})
		} else if assign.Value != nil {
			command.Words = append(command.Words, z.x.fields(assign.Value)[0]...)
		}
	}
	z.list(command)
}

func wordsOf(input string) []Word {
	var words []Word
	for _, field := range strings.Fields(input) {
		if words = append(words, Word{Value: field, Static: true}); len(words) > maxFields {
			break
		}
	}
	return words
}

func wrapsXargs(call *syntax.CallExpr) bool {
	return nameOf(call) == "xargs" || nameOf(call) == "parallel" || slices.Contains(wrappedNames(call), "xargs")
}

// operands are the names that a stage of a pipe prints, as patterns.
func (z *analyzer) operands(stmt *syntax.Stmt) []Word {
	all := []Word{{Value: "*", Pattern: "*"}}
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok {
		return all
	}
	var words []Word
	for _, arg := range call.Args {
		words = append(words, z.x.fields(arg)[0]...)
	}
	switch command := (Command{Words: words}); command.Name() {
	case "find", "fd":
		return foundNames(words)
	case "ls":
		var names []Word
		for _, w := range words[1:] {
			if !strings.HasPrefix(w.Value, "-") {
				names = append(names, w)
			}
		}
		if len(names) > 0 {
			return names
		}
	}
	return all
}

// foundNames are the names that find finds: by its -name, else the places where
// it looks.
func foundNames(words []Word) []Word {
	for i, w := range words[:max(0, len(words)-1)] {
		switch w.Value {
		case "-name", "-iname", "-path", "-wholename", "-regex":
			if i == 0 || words[i-1].Value != "-not" && words[i-1].Value != "!" {
				return words[i+1 : i+2]
			}
		}
	}
	if len(words) < 2 {
		return nil
	}
	return startingPoints(words[1:])
}

// operated puts the names that find and xargs hand on into the words of a command.
func operated(outer, inner Command) []Word {
	names := inner.Operands
	switch outer.Name() {
	case "find", "fd":
		names = foundNames(outer.Words)
	case "xargs", "parallel":
	default:
		return inner.Words
	}
	if len(names) == 0 || inner.Found {
		return inner.Words
	}
	words := make([]Word, 0, len(inner.Words)+len(names))
	replaced := false
	for _, w := range inner.Words {
		if w.Value == "{}" {
			words, replaced = append(words, names...), true
			continue
		}
		words = append(words, w)
	}
	if !replaced && outer.Name() != "find" {
		words = append(words, names...)
	}
	return words
}
