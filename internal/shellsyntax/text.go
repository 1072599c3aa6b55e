package shellsyntax

import (
	"bytes"
	"slices"
	"strings"
)

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
	learnt bool  // it has a variable that the line sets, to what is not known
	quoted bool  // there are quotes: it is a word even when it is empty
	breaks []int // where the items of a list begin
}

// newText is an empty text with room for a word of everyday length.
func (x *expander) newText() text {
	room := x.memory.bytes.take(64)
	return text{bytes: room[:0:32], kinds: room[32:32:64]}
}

// again is a text of the same bytes that can be added to.
func (x *expander) again(t text) text {
	size := len(t.bytes) + 32
	x.spend(1 + size/64)
	room := x.memory.bytes.take(2 * size)
	t.bytes, t.kinds = append(room[:0:size], t.bytes...), append(room[size:size:2*size], t.kinds...)
	t.breaks = slices.Clone(t.breaks)
	return t
}

func (t *text) add(s string, kind byte) {
	t.bytes = append(t.bytes, s...)
	for range len(s) {
		t.kinds = append(t.kinds, kind)
	}
}

// split cuts a text at the white space of unquoted expansions.
func (x *expander) split(t text) []Word {
	if len(t.breaks) == 0 && bytes.IndexByte(t.kinds, splitByte) < 0 { // as most are
		if len(t.bytes) == 0 && !t.quoted {
			return nil
		}
		return x.memory.word(whole(t))
	}
	var words []Word
	start := 0
	cut := func(end int, force bool) {
		if end > start || force {
			words = append(words, whole(text{bytes: t.bytes[start:end], kinds: t.kinds[start:end], guess: t.guess, learnt: t.learnt}))
		}
	}
	breaks := t.breaks // in their order
	for i, b := range t.bytes {
		broken := false
		for len(breaks) > 0 && breaks[0] <= i {
			broken, breaks = broken || breaks[0] == i, breaks[1:]
		}
		if broken && i > 0 {
			cut(i, true)
			start = i
			continue
		}
		if t.kinds[i] == splitByte && (b == ' ' || b == '\t' || b == '\n') {
			cut(i, false)
			start = i + 1
		}
	}
	cut(len(t.bytes), len(words) == 0 && t.quoted)
	if x.separated && t.breaks == nil {
		words = x.separatedWords(t, words)
	}
	return words
}

// separatedWords adds the words that a text is taken apart to where IFS holds other
// characters than blanks.
func (x *expander) separatedWords(t text, words []Word) []Word {
	start, found := 0, false
	for i := 0; i <= len(t.bytes); i++ {
		if i < len(t.bytes) && (t.kinds[i] != splitByte || strings.IndexByte(x.ifs, t.bytes[i]) < 0) {
			continue
		}
		found = found || i < len(t.bytes)
		if found && i > start && x.spend(1) {
			words = append(words, whole(text{bytes: t.bytes[start:i], kinds: t.kinds[start:i], guess: t.guess}))
		}
		start = i + 1
	}
	return words
}

// whole makes a word of a text.
func whole(t text) Word {
	w := Word{Value: string(t.bytes), Static: true, Guess: t.guess, Learnt: t.learnt}
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
