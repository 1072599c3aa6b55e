package shellsyntax

import (
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// lexical looks at the characters of a script, and at line breaks in odd places.
func (z *analyzer) lexical(script *Script, source string) {
	if !isASCII(source) {
		z.oddCharacters(source)
		z.mixedScripts(source)
	}
	if !strings.Contains(source, "\n") {
		return
	}
	syntax.Walk(script.file, func(node syntax.Node) bool {
		lit, ok := node.(*syntax.Lit)
		if !ok {
			return true
		}
		from, to := int(lit.Pos().Offset()), int(lit.End().Offset())
		if from < to && to <= len(source) && to-from > len(lit.Value) && innerContinuation(source[from:to]) {
			z.odd(Newline, lit.Value, "a line break stands inside a word")
		}
		return true
	})
	if at := max(strings.Index(source, "$\\\n"), strings.Index(source, "<\\\n")); at >= 0 {
		z.odd(Newline, around(source, at), "a line break stands inside an operator")
	}
	for _, end := range script.ends {
		next, _, _ := strings.Cut(source[end+2:], "\n")
		if next = strings.TrimSpace(next); next != "" && next[0] != '#' {
			z.odd(Newline, next, "a comment seems to go on in this line, which is run")
		}
	}
	for line := range strings.SplitSeq(source, "\n") {
		comment := commentOf(line)
		switch {
		case comment == "":
		case strings.Count(comment, `'`)%2 == 1 || strings.Count(comment, `"`)%2 == 1:
			z.a.Oddities = append(z.a.Oddities, Oddity{Kind: Newline, Evidence: comment, Message: "a comment holds a quote, which may hide the lines below it from a reader", Minor: true})
		}
		if len(z.a.Oddities) > maxMinor {
			return
		}
	}
}

// innerContinuation finds a backslash and line break with text on both sides,
// and nothing but letters: words that are cut, not lists of them.
func innerContinuation(text string) bool {
	at := strings.Index(text, "\\\n")
	return at > 0 && at+2 < len(text) && isWordByte(text[at-1]) && isWordByte(text[at+2])
}

func isWordByte(b byte) bool { return isNameByte(b) || b == '-' || b == '/' || b == '.' }

// commentOf is the comment at the end of a line, where no quote stands before it.
func commentOf(line string) string {
	for i := range len(line) {
		switch {
		case line[i] == '\'' || line[i] == '"' || line[i] == '`':
			return ""
		case line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t' || line[i-1] == ';'):
			return line[i:]
		}
	}
	return ""
}

// oddCharacters finds what no reader sees, or sees as something else. Inside
// quotes letters of every language and their joiners are at home.
func (z *analyzer) oddCharacters(source string) {
	var quotes quoteState
	for i, r := range source {
		quote := quotes.next(source, i, r)
		switch {
		case r < ' ' && r != '\n' && r != '\t', r >= 0x7f && r < 0xa0:
			z.odd(Unicode, around(source, i), "it holds control characters, which can hide parts of it on a screen")
			return
		case isDirection(r):
			z.odd(Unicode, around(source, i), "it holds characters that turn the direction of writing, so that it reads as something else")
			return
		case r == 0xfffd && quote == 0:
			z.odd(Unicode, around(source, i), "it holds bytes that are no text")
			return
		case quote != 0 || r < 0x80:
		case strings.ContainsRune(likeMarks, r):
			z.odd(Unicode, around(source, i), "it holds marks that look like those of the shell, and are none")
			return
		case unicode.IsSpace(r), isInvisible(r):
			z.odd(Unicode, around(source, i), "it holds blanks or invisible characters that the shell takes for letters")
			return
		case isDash(r) && (i == 0 || source[i-1] == ' '):
			z.odd(Unicode, around(source, i), "it holds a dash that the shell takes for a letter")
			return
		case r >= 0xff01 && r <= 0xff5e:
			alone := i > 0 && source[i-1] == ' ' && i+3 < len(source) && (source[i+3] == ' ' || strings.HasPrefix(source[i+3:], string(r)))
			if alone || r != '，' && r != '！' && r != '（' && r != '）' && r != '：' && r != '；' && r != '？' {
				z.odd(Unicode, around(source, i), "it holds wide letters, which the shell takes for others")
				return
			}
		}
	}
}

// isASCII says whether a text is made of the characters that every screen shows.
func isASCII(source string) bool {
	for i := range len(source) {
		if b := source[i]; (b < ' ' || b >= 0x7f) && b != '\n' && b != '\t' {
			return false
		}
	}
	return true
}

// likeMarks look like . / | ; : and $.
const likeMarks = "\u2024\u2044\u2215\u29f8\u01c0\u2223\u037e\u2236\ua789\ufe68\ufe69"

func isDirection(r rune) bool {
	return r == 0x061c || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

func isInvisible(r rune) bool {
	switch {
	case r >= 0x200b && r <= 0x200f, r == 0x2060, r >= 0x2061 && r <= 0x2064, r == 0xfeff, r == 0xad, r == 0x180e, r == 0x3164, r == 0x115f, r == 0x1160, r == 0x2800, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

func isDash(r rune) bool { return r >= 0x2010 && r <= 0x2015 || r == 0x2212 || r == 0xfe63 }

func around(source string, at int) string {
	from, to := max(0, at-20), min(len(source), at+20)
	return strings.ToValidUTF8(source[from:to], "")
}

// mixedScripts finds words that mix Latin letters with those of a script that
// looks alike: Cyrillic or Greek.
func (z *analyzer) mixedScripts(source string) {
	latin, alike := false, false
	start := 0
	for i, r := range source + " " {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			latin = true
		case unicode.Is(unicode.Cyrillic, r), unicode.Is(unicode.Greek, r), r >= 0x2160 && r <= 0x217f, r >= 0x1d400 && r <= 0x1d7ff:
			alike = true
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
		default:
			if latin && alike {
				z.odd(Unicode, source[start:min(i, len(source))], "a word mixes letters of scripts that look alike")
				return
			}
			latin, alike, start = false, false, i+1
		}
	}
}
