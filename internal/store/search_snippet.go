package store

import (
	"strings"
	"unicode/utf8"
)

// A snippet shows this many characters before the first match and after it.
const (
	snippetBefore = 40
	snippetAfter  = 120
)

// snippet is the part of a text around the first place where a term matches, on
// one line, with … where something was left out.
func snippet(text string, q searchTerms) string {
	at := firstMatch(text, q)
	from := back(text, at, snippetBefore)
	to := at + len(firstRunes(text[at:], snippetAfter))
	out := strings.Join(strings.Fields(text[from:to]), " ")
	if from > 0 {
		out = "…" + out
	}
	if to < len(text) {
		out += "…"
	}
	return out
}

// firstMatch is the byte offset of the first match; 0 where there is none.
func firstMatch(text string, q searchTerms) int {
	at := 0
	eachRun(text, func(r textRun) bool {
		for _, term := range q.terms {
			if term.unspaced != r.unspaced {
				continue
			}
			if i := strings.Index(r.folded, term.text); i == 0 || i > 0 && r.unspaced {
				at = r.start + i
				return false
			}
		}
		return true
	})
	return at
}

// back is the offset n characters before at.
func back(text string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}
