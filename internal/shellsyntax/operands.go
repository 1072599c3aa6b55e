package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// variants are the lists of words that a command can have.
func (z *analyzer) variants(args []*syntax.Word) [][]Word {
	lists := z.lists.take(1)
	lists[0] = z.words.take(len(args))[:0]
	for _, arg := range args {
		if word, ok := plain(arg); ok {
			for n := range lists {
				lists[n] = append(lists[n], word)
			}
			continue
		}
		texts := z.x.texts(arg.Parts)
		for len(lists) < len(texts) {
			lists = append(lists, slices.Clone(lists[len(lists)-1]))
		}
		var fields []Word // the last alternative goes on
		for n := range lists {
			if n < len(texts) {
				fields = z.x.fieldsOf(texts[n])
			}
			lists[n] = append(lists[n], fields...)
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
			command.Substituted = z.x.addNames(command.Substituted, z.x.sources(assign.Value))
			if strings.Contains(z.source, "IFS") && (len(assign.Value.Parts) > 1 || joinedInQuotes(assign.Value)) {
				z.oddBlanks(assign.Value)
			}
			value := z.x.one(assign.Value)
			z.oddValue(value)
			value.Value = name + "=" + value.Value
			command.Settings = z.with(command.Settings, value)
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
			w := z.x.document(redirect.Word)
			command.Input = &w
			command.Substituted = z.x.addNames(command.Substituted, z.x.sources(redirect.Word))
		case syntax.RdrIn:
			command.ReadsFrom = z.with(command.ReadsFrom, z.x.all(redirect.Word)...)
			command.Substituted = z.x.addNames(command.Substituted, z.x.sources(redirect.Word))
		case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob, syntax.RdrInOut:
			command.WritesTo = z.with(command.WritesTo, z.x.all(redirect.Word)...)
		case syntax.DplOut, syntax.DplIn:
			for _, w := range z.x.all(redirect.Word) {
				if strings.Trim(w.Value, "0123456789-") != "" {
					command.WritesTo = z.with(command.WritesTo, w)
				}
			}
		}
	}
}

func (z *analyzer) declare(clause *syntax.DeclClause, via []string) {
	command := z.placed(Command{Via: via, Words: []Word{{Value: clause.Variant.Value, Static: true}}})
	if len(clause.Args) > 1 && clause.Variant.Value != "export" && slices.ContainsFunc(clause.Args, func(a *syntax.Assign) bool {
		return a.Name == nil && a.Value != nil && z.could(a.Value, func(word string) bool { return strings.HasPrefix(word, "-") && strings.Contains(word, "n") })
	}) {
		z.oddReference(clause)
	}
	z.set(command, clause.Args)
	z.oddSet(command)
	for _, assign := range clause.Args {
		if assign.Name != nil {
			command.Words = append(command.Words, Word{Value: assign.Name.Value, Static: true})
		} else if assign.Value != nil {
			command.Words = append(command.Words, z.x.first(assign.Value)...)
		}
	}
	z.list(command)
}

func (x *expander) wordsOf(input string) []Word {
	var words []Word
	for _, field := range strings.Fields(input) {
		if !x.spend(1) {
			break
		}
		words = append(words, Word{Value: field, Static: true})
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
		words = append(words, z.x.first(arg)...)
	}
	switch programOf(words) {
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
			if i > 0 && (words[i-1].Value == "-not" || words[i-1].Value == "!") {
				continue
			}
			if strings.HasSuffix(w.Value, "name") && w.Value != "-wholename" {
				return below(startingPoints(words[1:]), words[i+1])
			}
			return words[i+1 : i+2]
		}
	}
	if len(words) < 2 {
		return nil
	}
	return startingPoints(words[1:])
}

// below is a name, and the name below directories whose place is known.
func below(dirs []Word, name Word) []Word {
	names := []Word{name}
	for _, dir := range dirs {
		if dir.Static && dir.Value != "/" && (strings.HasPrefix(dir.Value, "/") || strings.HasPrefix(dir.Value, "~")) {
			joined := filled(Word{Value: strings.TrimSuffix(dir.Value, "/") + "/{}", Static: true}, "{}", name)
			if strings.ContainsAny(name.Value, "*?[") {
				joined.Pattern = joined.Value // find matches what the shell leaves alone
			}
			names = append(names, joined)
		}
	}
	return names
}

// placeholder is what xargs puts its names in the place of.
func placeholder(words []Word) string {
	for i, w := range words[:max(0, len(words)-1)] {
		text, glued := strings.CutPrefix(w.Value, "-I")
		switch {
		case glued && text == "":
			return first(words[i+1].Value, "{}")
		case glued:
			return text
		case strings.HasPrefix(w.Value, "--replace="):
			return first(w.Value[len("--replace="):], "{}")
		case !strings.HasPrefix(w.Value, "-") && i > 0:
			return "{}"
		}
	}
	return "{}"
}

// filled is a word with a name in the place that stands for it.
func filled(w Word, place string, name Word) Word {
	if name.Pattern != "" || w.Pattern != "" {
		w.Pattern = strings.ReplaceAll(first(w.Pattern, w.Value), place, first(name.Pattern, name.Value))
	}
	w.Static, w.Unknown = w.Static && name.Static, w.Unknown || name.Unknown
	w.Value = strings.ReplaceAll(w.Value, place, name.Value)
	return w
}

// operated puts the names that find and xargs hand on into the words of a command.
func (x *expander) operatedWords(outer, inner *Command) []Word {
	names, place := inner.Operands, "{}"
	switch outer.Name() {
	case "find", "fd":
		names = foundNames(outer.Words)
	case "xargs", "parallel":
		place = placeholder(outer.Words)
		if outer.Input != nil && outer.Input.Static {
			names = append(slices.Clip(names), x.wordsOf(outer.Input.Value)...)
		}
	default:
		return inner.Words
	}
	if len(names) == 0 || inner.Found {
		return inner.Words
	}
	words := make([]Word, 0, len(inner.Words)+len(names))
	replaced := false
	for _, w := range inner.Words {
		switch {
		case !strings.Contains(w.Value, place) || !x.spend(len(names)*(6+len(w.Value)/64)):
		case w.Value == place:
			words, replaced = append(words, names...), true
			continue
		default:
			for _, name := range names {
				words = append(words, filled(w, place, name))
			}
			replaced = true
			continue
		}
		words = append(words, w)
	}
	if !replaced && outer.Name() != "find" {
		words = append(words, names...)
	}
	return words
}
