package shellsyntax

import (
	"bytes"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// expander works out what words become, as far as the line itself says: it knows
// the variables that the line sets, quotes, braces, ~ and the output of plain
// commands such as echo. It is made for finding dangers: where a word can become
// several things, it lists them.
type expander struct {
	vars  map[string]*variable
	depth int

	memory *memory
	budget

	programs  []string // whose output stands in words, by their bit in sources
	separated bool     // IFS is set to something that is no blank
	ifs       string   // what it is set to
	anything  bool     // a variable is set whose name is not known

	doubted    map[string]bool // variables that are not as temporary as their names say; nil: none
	references references
}

// Bounds of what is worked out.
const (
	maxAlternatives = 8
	maxFields       = 256
	maxParts        = 128 // of one word
	maxExpanded     = 1 << 17
	maxDepth        = 12
)

// variable is what a name can hold.
type variable struct {
	values []string
	items  []string // of an array
	open   bool     // it can hold something else, too
	// earlier are the items of an array that were set before those. shuffled says that
	// the order of the items is not known.
	earlier  [][]string
	shuffled bool
	copied   string  // the variable, unknown to the line, that it is a copy of
	fold     byte    // u, l: declare makes the letters of its values large or small
	from     sources // programs whose output it holds
}

// fields are the words that one word of the source becomes, for each of its
// alternatives. There is at least one alternative.
func (x *expander) fields(w *syntax.Word) [][]Word {
	if word, ok := plain(w); ok {
		return [][]Word{x.memory.word(word)}
	}
	texts := x.texts(w.Parts)
	alternatives := make([][]Word, 0, len(texts))
	for _, t := range texts {
		alternatives = append(alternatives, x.fieldsOf(t))
	}
	return alternatives
}

// first are the words of the first alternative.
func (x *expander) first(w *syntax.Word) []Word {
	if word, ok := plain(w); ok {
		return x.memory.word(word)
	}
	return x.fieldsOf(x.texts(w.Parts)[0])
}

func (x *expander) fieldsOf(t text) []Word {
	if bytes.IndexByte(t.bytes, '{') < 0 {
		return x.split(t)
	}
	all := x.braces(t)
	fields := x.memory.words.take(len(all))[:0]
	for _, braced := range all {
		fields = append(fields, x.split(braced)...)
		if len(fields) > maxFields {
			x.large = true
			break
		}
	}
	return fields
}

// plain is a word in which nothing is to be worked out, as most are.
func plain(w *syntax.Word) (word Word, ok bool) {
	if len(w.Parts) != 1 {
		return Word{}, false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok {
		return Word{}, false
	}
	for i := range len(lit.Value) {
		if expandable[lit.Value[i]] {
			return Word{}, false
		}
	}
	return Word{Value: lit.Value, Static: true}, true
}

// expandable are the characters that make bash work on unquoted text.
var expandable = [256]bool{'\\': true, '*': true, '?': true, '[': true, '{': true, '~': true}

// value is a word that is not split, as behind = or <<<.
func (x *expander) value(w *syntax.Word) (values []string, known bool) {
	if w == nil {
		return []string{""}, true
	}
	known = true
	for _, t := range x.texts(w.Parts) {
		if slices.ContainsFunc(t.kinds, func(k byte) bool { return k&unknownByte != 0 }) {
			known = false
			continue
		}
		values = append(values, string(t.bytes))
	}
	return values, known
}

// all are the alternatives of a word that is not split.
func (x *expander) all(w *syntax.Word) []Word {
	texts := x.texts(w.Parts)
	words := x.memory.words.take(len(texts))
	for i, t := range texts {
		words[i] = whole(t)
	}
	return words
}

// document is what a command reads of a word: all alternatives below each other.
func (x *expander) document(w *syntax.Word) Word {
	words := x.all(w)
	document := words[0]
	for _, word := range words[1:] {
		document.Value += "\n" + word.Value
		document.Static, document.Unknown = document.Static && word.Static, document.Unknown || word.Unknown
	}
	return document
}

// one is a word that is not split, in its first alternative.
func (x *expander) one(w *syntax.Word) Word {
	if w == nil {
		return Word{Static: true}
	}
	return whole(x.texts(w.Parts)[0])
}

func (x *expander) texts(parts []syntax.WordPart) []text {
	if !x.spend(1 + len(parts)) {
		return []text{{bytes: []byte("…"), kinds: []byte{unknownByte, unknownByte, unknownByte}}}
	}
	if len(parts) > maxParts {
		x.large = true
		return []text{{bytes: []byte("…"), kinds: []byte{unknownByte, unknownByte, unknownByte}}}
	}
	list := x.memory.texts.take(1)
	list[0] = x.newText()
	for i, part := range parts {
		list = x.append(list, part, i == 0, false)
	}
	return list
}

// append puts a part behind every alternative.
func (x *expander) append(list []text, part syntax.WordPart, first, quoted bool) []text {
	kind := splitByte
	if quoted {
		kind = quotedByte
	}
	switch part := part.(type) {
	case *syntax.Lit:
		for i := range list {
			x.literal(&list[i], part.Value, first, quoted)
		}
	case *syntax.SglQuoted:
		value, known := part.Value, true
		if part.Dollar {
			value, known = ansi(part.Value)
		}
		if !known {
			return x.unknown(list, part)
		}
		x.each(list, value, quotedByte)
	case *syntax.DblQuoted:
		if len(part.Parts) == 0 {
			x.each(list, "", quotedByte)
		}
		if len(part.Parts) > maxParts {
			x.large = true
			x.each(list, "…", unknownByte)
			return list
		}
		for _, inner := range part.Parts {
			list = x.append(list, inner, false, true)
		}
		for i := range list {
			list[i].quoted = true
		}
	case *syntax.ParamExp:
		return x.parameter(list, part, quoted)
	case *syntax.CmdSubst:
		if places := x.placesOf(part); places != nil {
			return x.alternatives(list, places, kind, part)
		}
		if output, known := x.output(part.Stmts, nil); known {
			x.each(list, strings.TrimRight(output, "\n"), kind)
			return list
		}
		return x.unknown(list, part)
	default:
		return x.unknown(list, part)
	}
	return list
}

func (x *expander) each(list []text, value string, kind byte) {
	for i := range list {
		if x.expand(len(value)) {
			list[i].add(value, kind)
		}
		if kind == quotedByte {
			list[i].quoted = true
		}
	}
}

func (x *expander) unknown(list []text, part syntax.Node) []text {
	x.each(list, x.printed(part), unknownByte)
	return list
}

// literal adds text without its backslashes, and the home directory for ~.
func (x *expander) literal(t *text, value string, first, quoted bool) {
	if quoted {
		t.add(unescape(value, "$`\"\\"), quotedByte)
		return
	}
	if first && strings.HasPrefix(value, "~") {
		user, rest, _ := strings.Cut(value[1:], "/")
		if !strings.ContainsAny(user, "\\*?[{") {
			if user == "+" {
				t.add(".", quotedByte)
			} else {
				t.add("~"+user, quotedByte)
			}
			value = value[1+len(user):]
			_ = rest
		}
	}
	for i := 0; i < len(value); i++ {
		if value[i] != '\\' {
			end := i + 1
			for end < len(value) && value[end] != '\\' {
				end++
			}
			t.add(value[i:end], 0)
			i = end - 1
			continue
		}
		i++
		if i < len(value) && value[i] != '\n' {
			t.add(value[i:i+1], quotedByte)
		}
	}
}
