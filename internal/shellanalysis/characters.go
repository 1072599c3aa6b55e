package shellanalysis

import (
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// inspectCharacters finds what no reader sees, or sees as something else.
func (a *Analysis) inspectCharacters(source string) {
	if isASCII(source) {
		return
	}
	a.hiddenCharacters(source)
	a.mixedScripts(source)
}

// inspectLines looks at line breaks where nobody expects them.
func (a *Analysis) inspectLines(file *syntax.File, source string) {
	if !strings.Contains(source, "\n") {
		return
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		lit, ok := node.(*syntax.Lit)
		if !ok {
			return true
		}
		from, to := int(lit.Pos().Offset()), int(lit.End().Offset())
		if from < to && to <= len(source) && to-from > len(lit.Value) && innerContinuation(source[from:to]) {
			a.obfuscated(LineBreak, "a line break stands inside a word", lit.Value)
		}
		return true
	})
	if at := max(strings.Index(source, "$\\\n"), strings.Index(source, "<\\\n")); at >= 0 {
		a.obfuscated(LineBreak, "a line break stands inside an operator", around(source, at))
	}
	if !mayEndInBackslash(source) {
		return
	}
	_, ends, _ := withoutEnds(source)
	for _, end := range ends {
		next, _, _ := strings.Cut(source[end+2:], "\n")
		if next = strings.TrimSpace(next); next != "" && next[0] != '#' {
			a.obfuscated(LineBreak, "a comment seems to go on in this line, which is run", next)
		}
	}
}

// innerContinuation finds a backslash and line break with text on both sides,
// and nothing but letters: words that are cut, not lists of them.
func innerContinuation(text string) bool {
	at := strings.Index(text, "\\\n")
	return at > 0 && at+2 < len(text) && isWordByte(text[at-1]) && isWordByte(text[at+2])
}

func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '/' ||
		b == '.'
}

// hiddenCharacters knows that inside quotes letters of every language and their joiners
// are at home.
func (a *Analysis) hiddenCharacters(source string) {
	var quotes quoteState
	for i, r := range source {
		quote := quotes.next(source, i, r)
		switch {
		case r < ' ' && r != '\n' && r != '\t', r >= 0x7f && r < 0xa0:
			a.obfuscated(Characters, "it holds control characters, which can hide parts of it on a screen",
				around(source, i))
			return
		case isDirection(r):
			a.obfuscated(Characters,
				"it holds characters that turn the direction of writing, so that it reads as something else",
				around(source, i))
			return
		case r == 0xfffd && quote == 0:
			a.obfuscated(Characters, "it holds bytes that are no text", around(source, i))
			return
		case quote != 0 || r < 0x80:
		case strings.ContainsRune(likeMarks, r):
			a.obfuscated(Characters, "it holds marks that look like those of the shell, and are none",
				around(source, i))
			return
		case unicode.IsSpace(r), isInvisible(r):
			a.obfuscated(Characters, "it holds blanks or invisible characters that the shell takes for letters",
				around(source, i))
			return
		case isDash(r) && (i == 0 || source[i-1] == ' '):
			a.obfuscated(Characters, "it holds a dash that the shell takes for a letter", around(source, i))
			return
		case r >= 0xff01 && r <= 0xff5e:
			alone := i > 0 && source[i-1] == ' ' && i+3 < len(source) && (source[i+3] == ' ' ||
				strings.HasPrefix(source[i+3:], string(r)))
			if alone || r != '，' && r != '！' && r != '（' && r != '）' && r != '：' && r != '；' && r != '？' {
				a.obfuscated(Characters, "it holds wide letters, which the shell takes for others", around(source, i))
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
	case r >= 0x200b && r <= 0x200f, r == 0x2060, r >= 0x2061 && r <= 0x2064, r == 0xfeff, r == 0xad, r == 0x180e,
		r == 0x3164, r == 0x115f, r == 0x1160, r == 0x2800, r >= 0xe0000 && r <= 0xe007f:
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
func (a *Analysis) mixedScripts(source string) {
	latin, alike := false, false
	start := 0
	for i, r := range source + " " {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			latin = true
		case unicode.Is(unicode.Cyrillic, r), unicode.Is(unicode.Greek, r), r >= 0x2160 && r <= 0x217f,
			r >= 0x1d400 && r <= 0x1d7ff:
			alike = true
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
		default:
			if latin && alike {
				a.obfuscated(Characters, "a word mixes letters of scripts that look alike",
					source[start:min(i, len(source))])
				return
			}
			latin, alike, start = false, false, i+1
		}
	}
}

// quoteState follows the quotes of a source, rune by rune. A substitution within double
// quotes is not quoted itself.
type quoteState struct {
	quote rune   // ' or ", 0: none
	outer []rune // the quotes around substitutions and brackets that are open
}

// maxOuter bounds how deep brackets are followed.
const maxOuter = 256

// next takes one rune of a source and returns the quote that it stands in.
func (s *quoteState) next(source string, i int, r rune) rune {
	escaped := i > 0 && source[i-1] == '\\' && s.quote != '\'' && !(i > 1 && source[i-2] == '\\')
	switch {
	case escaped:
	case s.quote == 0 && (r == '\'' || r == '"'):
		s.quote = r
	case r == s.quote && r != 0:
		s.quote = 0
	case r == '(' && (s.quote == 0 || s.quote == '"' && i > 0 && source[i-1] == '$') && len(s.outer) < maxOuter:
		s.outer, s.quote = append(s.outer, s.quote), 0
	case r == ')' && s.quote == 0 && len(s.outer) > 0:
		s.quote, s.outer = s.outer[len(s.outer)-1], s.outer[:len(s.outer)-1]
	}
	return s.quote
}
