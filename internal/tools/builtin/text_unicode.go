package builtin

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/words"
)

// textCount are the sizes of a text.
type textCount struct {
	Characters int `json:"characters"` // as a reader sees them: 👨‍👩‍👧 and é are one each
	CodePoints int `json:"code_points"`
	Bytes      int `json:"bytes"` // in UTF-8
	Words      int `json:"words"` // each Chinese character is one
	Lines      int `json:"lines"`
}

func countText(text string) textCount {
	count := textCount{CodePoints: utf8.RuneCountInString(text), Bytes: len(text), Words: len(wordsOf(text)),
		Lines: len(splitLines(text))}
	for clusters := graphemes.FromString(text); clusters.Next(); {
		count.Characters++
	}
	return count
}

// wordsOf is the words after Unicode's rules (UAX 29), without what is only
// punctuation and space.
func wordsOf(text string) []string {
	found := []string{}
	for segments := words.FromString(text); segments.Next(); {
		if segment := segments.Value(); strings.ContainsFunc(segment, isWordRune) {
			found = append(found, segment)
		}
	}
	return found
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// reverseText turns the characters round and keeps each whole.
func reverseText(text string) string {
	out := make([]byte, len(text))
	at := len(text)
	for clusters := graphemes.FromString(text); clusters.Next(); {
		at -= len(clusters.Value())
		copy(out[at:], clusters.Value())
	}
	return string(out)
}
