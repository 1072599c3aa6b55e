package store

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWordRunes is where a word is cut before it is indexed or looked up: longer
// ones are encoded data, not words.
const maxWordRunes = 40

// textRun is a piece of text that search treats as one: a word, a symbol, or a
// row of characters of a script that is written without spaces.
type textRun struct {
	folded     string // small letters, without accents
	unspaced   bool   // folded is original text[start:end], to be found by any part of it
	start, end int    // byte offsets in the text
}

// eachRun calls yield for the runs of a text in order, until it returns false.
func eachRun(text string, yield func(textRun) bool) {
	var word []byte
	start := 0
	flush := func(end int) bool {
		if len(word) == 0 {
			return true
		}
		r := textRun{folded: firstRunes(string(word), maxWordRunes), start: start, end: end}
		word = word[:0]
		return yield(r)
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case isUnspaced(r):
			end := i + size
			for end < len(text) {
				next, n := utf8.DecodeRuneInString(text[end:])
				if !isUnspaced(next) {
					break
				}
				end += n
			}
			if !flush(i) || !yield(textRun{folded: text[i:end], unspaced: true, start: i, end: end}) {
				return
			}
			i = end
			continue
		case isWord(r):
			if len(word) == 0 {
				start = i
			}
			word = appendFolded(word, r)
		case unicode.Is(unicode.So, r):
			if !flush(i) || !yield(textRun{folded: string(r), start: i, end: i + size}) {
				return
			}
		default:
			if !flush(i) {
				return
			}
		}
		i += size
	}
	flush(len(text))
}

// searchPieces are the terms under which a text is found. A row of characters
// without spaces gives its overlapping pairs and its last character, so that
// neighbouring pairs stand for longer parts and no dictionary is needed.
func searchPieces(text string) []string {
	var pieces []string
	eachRun(text, func(r textRun) bool {
		if !r.unspaced {
			pieces = append(pieces, r.folded)
			return true
		}
		pieces = append(pieces, pairs(r.folded)...)
		_, size := utf8.DecodeLastRuneInString(r.folded)
		pieces = append(pieces, r.folded[len(r.folded)-size:])
		return true
	})
	return pieces
}

// pairs are the overlapping two-character pieces of a text.
func pairs(text string) []string {
	var out []string
	_, first := utf8.DecodeRuneInString(text)
	for i, j := 0, first; j < len(text); {
		_, size := utf8.DecodeRuneInString(text[j:])
		out = append(out, text[i:j+size])
		i, j = j, j+size
	}
	return out
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// isUnspaced says whether r belongs to a script that is written without spaces
// between words (or, Korean, with endings grown onto them).
func isUnspaced(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r >= 0x4E00 && r <= 0x9FFF:
		return true
	case r == 'ー':
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// appendFolded adds r as a small letter without accents; full-width letters
// become ordinary ones.
func appendFolded(word []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		return append(word, byte(unicode.ToLower(r)))
	}
	for _, part := range norm.NFKD.String(string(unicode.ToLower(r))) {
		if isWord(part) && !unicode.Is(unicode.Mn, part) {
			word = utf8.AppendRune(word, unicode.ToLower(part))
		}
	}
	return word
}
