package demo

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quoted passages are covered by one placeholder rune each while a sentence is
// taken apart, so that nothing inside them is read as a word of command.
const (
	firstMark = '\uE000'
	lastMark  = '\uF8FF'
)

func isMark(r rune) bool { return r >= firstMark && r <= lastMark }

// covered is a text whose quoted passages are placeholders.
type covered struct {
	text   string
	quotes []quote
}

// quote is one passage: raw with its quotation marks, inner without.
type quote struct {
	raw, inner string
	lang       string // the language of a fenced code block
	fenced     bool
}

// closing pairs quotation marks that differ.
var closing = map[rune]rune{'“': '”', '‘': '’', '「': '」', '『': '』', '《': '》', '"': '"', '`': '`', '\'': '\''}

// maxSingle bounds a passage in single quotation marks, in bytes: far more often
// than not such a mark is an apostrophe.
const maxSingle = 2000

// cover replaces quoted passages and fenced code blocks. A mark without its
// partner stays an ordinary character.
func cover(text string) covered {
	var c covered
	var out strings.Builder
	unpaired := make(map[rune]bool) // marks that are known to have no partner further on
	previous := ' '
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		var q quote
		length := 0
		if !unpaired[r] {
			q, length = passage(text[i:], r, previous)
			unpaired[r] = length == 0 && r != '\'' && r != '`'
		}
		if length == 0 && isMark(r) { // the user's own: covered too, or it would be taken for ours
			q, length = quote{raw: text[i : i+size], inner: text[i : i+size]}, size
		}
		if length > 0 && len(c.quotes) <= lastMark-firstMark {
			out.WriteRune(firstMark + rune(len(c.quotes)))
			c.quotes = append(c.quotes, q)
			i += length
			previous = firstMark
			continue
		}
		if isMark(r) {
			r = utf8.RuneError // more of them than placeholders: not kept apart
		}
		out.WriteRune(r)
		i += size
		previous = r
	}
	c.text = out.String()
	return c
}

// passage reads a quoted passage at the beginning of text; length 0: there is none.
func passage(text string, open, previous rune) (q quote, length int) {
	shut, ok := closing[open]
	switch {
	case !ok:
		return quote{}, 0
	case strings.HasPrefix(text, "```"):
		return fence(text)
	case open == '\'':
		return single(text, previous)
	}
	start := utf8.RuneLen(open)
	i := strings.IndexRune(text[start:], shut)
	if i < 0 {
		return quote{}, 0
	}
	length = start + i + utf8.RuneLen(shut)
	return quote{raw: text[:length], inner: text[start : start+i]}, length
}

// single reads a passage in single quotation marks on one line; an apostrophe
// inside a word opens nothing and closes nothing.
func single(text string, previous rune) (q quote, length int) {
	if unicode.IsLetter(previous) || unicode.IsDigit(previous) {
		return quote{}, 0
	}
	for i := 1; i < min(len(text), maxSingle) && text[i] != '\n'; i++ {
		if text[i] != '\'' {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+1:])
		if next < 0x250 && (unicode.IsLetter(next) || unicode.IsDigit(next)) {
			continue
		}
		return quote{raw: text[:i+1], inner: text[1:i]}, i + 1
	}
	return quote{}, 0
}

// fence reads a code block between triple backticks.
func fence(text string) (q quote, length int) {
	end := strings.Index(text[3:], "```")
	if end < 0 {
		return quote{}, 0
	}
	inner := text[3 : 3+end]
	lang := ""
	if first, rest, found := strings.Cut(inner, "\n"); found && !strings.ContainsAny(strings.TrimSpace(first), " \t") {
		lang, inner = strings.ToLower(strings.TrimSpace(first)), rest
	}
	length = 3 + end + 3
	return quote{raw: text[:length], inner: strings.TrimSuffix(inner, "\n"), lang: lang, fenced: true}, length
}

// open gives a piece of the covered text back: a passage that stands alone without
// its quotation marks, any other as it was written.
func (c covered) open(piece string) string {
	piece = strings.TrimSpace(piece)
	if q, ok := c.alone(piece); ok {
		return q.inner
	}
	if !strings.ContainsFunc(piece, isMark) {
		return piece
	}
	var out strings.Builder
	for _, r := range piece {
		if i := int(r - firstMark); isMark(r) && i < len(c.quotes) {
			out.WriteString(c.quotes[i].raw)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// alone reports whether a piece is exactly one quoted passage.
func (c covered) alone(piece string) (quote, bool) {
	r, size := utf8.DecodeRuneInString(piece)
	if size != len(piece) || !isMark(r) || int(r-firstMark) >= len(c.quotes) {
		return quote{}, false
	}
	return c.quotes[r-firstMark], true
}
