package shellsyntax

import (
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
	spent int // bytes made, to bound the work

	large     bool // a word was too large to be worked out
	separated bool // IFS is set to something that is no blank
}

// Bounds of what is worked out.
const (
	maxAlternatives = 8
	maxFields       = 64
	maxParts        = 128 // of one word
	maxExpanded     = 1 << 18
	maxDepth        = 12
)

// variable is what a name can hold.
type variable struct {
	values []string
	items  []string // of an array
	open   bool     // it can hold something else, too
	from   []string // programs whose output it holds
}

// How a byte of a word came about.
const (
	quotedByte  byte = 1 << iota // no glob, brace or ~
	splitByte                    // out of an unquoted expansion: white space splits
	unknownByte                  // written as in the source, because it is not known
)

// text is a word while it is worked out.
type text struct {
	bytes  []byte
	kinds  []byte
	guess  bool  // variables that are not set by the line count as empty
	breaks []int // where the items of a list begin; -1: there are quotes
}

// newText is an empty text with room for a word of everyday length.
func newText() text {
	room := make([]byte, 64)
	return text{bytes: room[:0:32], kinds: room[32:32:64]}
}

func (t *text) add(s string, kind byte) {
	t.bytes = append(t.bytes, s...)
	for range len(s) {
		t.kinds = append(t.kinds, kind)
	}
}

func (t text) clone() text {
	return text{bytes: slices.Clone(t.bytes), kinds: slices.Clone(t.kinds), guess: t.guess, breaks: slices.Clone(t.breaks)}
}

// fields are the words that one word of the source becomes, for each of its
// alternatives. There is at least one alternative.
func (x *expander) fields(w *syntax.Word) [][]Word {
	if word, ok := plain(w); ok {
		return [][]Word{{word}}
	}
	var alternatives [][]Word
	for _, t := range x.texts(w.Parts) {
		var fields []Word
		for _, braced := range braces(t) {
			fields = append(fields, split(braced)...)
			if len(fields) > maxFields {
				break
			}
		}
		alternatives = append(alternatives, fields)
	}
	return alternatives
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

// one is a word that is not split, in its first alternative.
func (x *expander) one(w *syntax.Word) Word {
	if w == nil {
		return Word{Static: true}
	}
	return whole(x.texts(w.Parts)[0])
}

func (x *expander) texts(parts []syntax.WordPart) []text {
	list := []text{newText()}
	if len(parts) > maxParts {
		x.large = true
		return []text{{bytes: []byte("…"), kinds: []byte{unknownByte, unknownByte, unknownByte}}}
	}
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
			list[i].mark()
		}
	case *syntax.ParamExp:
		return x.parameter(list, part, quoted)
	case *syntax.CmdSubst:
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

// mark remembers that the text has quotes: it is a word even when it is empty.
func (t *text) mark() { t.breaks = append(t.breaks, -1) }

func (x *expander) each(list []text, value string, kind byte) {
	for i := range list {
		if x.spent += len(value); x.spent <= maxExpanded {
			list[i].add(value, kind)
		}
		if kind == quotedByte {
			list[i].mark()
		}
	}
}

func (x *expander) unknown(list []text, part syntax.Node) []text {
	x.each(list, printed(part), unknownByte)
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

// split cuts a text at the white space of unquoted expansions.
func split(t text) []Word {
	var words []Word
	start := 0
	cut := func(end int, force bool) {
		if end > start || force {
			words = append(words, whole(text{bytes: t.bytes[start:end], kinds: t.kinds[start:end], guess: t.guess}))
		}
	}
	for i, b := range t.bytes {
		if slices.Contains(t.breaks, i) && i > 0 {
			cut(i, true)
			start = i
			continue
		}
		if t.kinds[i] == splitByte && (b == ' ' || b == '\t' || b == '\n') {
			cut(i, false)
			start = i + 1
		}
	}
	cut(len(t.bytes), len(words) == 0 && slices.Contains(t.breaks, -1))
	return words
}

// whole makes a word of a text.
func whole(t text) Word {
	w := Word{Value: string(t.bytes), Static: true, Guess: t.guess}
	glob := false
	for i, b := range t.bytes {
		switch {
		case t.kinds[i]&unknownByte != 0:
			w.Static, w.Unknown = false, true
		case t.kinds[i]&quotedByte == 0 && (b == '*' || b == '?' || b == '['):
			glob = true
		}
	}
	if glob {
		w.Static = false
		w.Pattern = globOf(t)
	}
	return w
}

// globOf is the text as a glob: what is quoted has a backslash, what is not
// known may be anything.
func globOf(t text) string {
	var out strings.Builder
	for i := 0; i < len(t.bytes); i++ {
		b := t.bytes[i]
		switch {
		case t.kinds[i]&unknownByte != 0:
			for i+1 < len(t.bytes) && t.kinds[i+1]&unknownByte != 0 {
				i++
			}
			out.WriteByte('*')
			continue
		case t.kinds[i]&quotedByte != 0 && strings.IndexByte(`*?[]\`, b) >= 0:
			out.WriteByte('\\')
		}
		out.WriteByte(b)
	}
	return out.String()
}
