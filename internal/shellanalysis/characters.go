package shellanalysis

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// inspectCharacters finds what no reader sees, or sees as something else: the rows of
// data/obfuscations.yaml.
func (a *Analysis) inspectCharacters(file *syntax.File, source string) {
	unquoted := withoutQuoted(file, source)
	for i := range table().Characters {
		row, text := &table().Characters[i], unquoted
		if row.Quoted {
			text = source
		}
		if at := row.Pattern.FindStringIndex(text); at != nil {
			a.obfuscated(Characters, row.Message, around(source, at[0], at[1]))
			return
		}
	}
}

// withoutQuoted is a source with letters in the place of quoted text and here-documents,
// where characters of every language are at home.
func withoutQuoted(file *syntax.File, source string) string {
	text := []byte(source)
	mask := func(node syntax.Node, hides bool) {
		from, to := int(node.Pos().Offset()), min(int(node.End().Offset()), len(text))
		for i := from; i < to; i++ {
			if text[i] = source[i]; hides {
				text[i] = 'q'
			}
		}
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			mask(node, true)
		case *syntax.CmdSubst, *syntax.ProcSubst:
			mask(node, false)
		case *syntax.Redirect:
			if node.Hdoc != nil {
				mask(node.Hdoc, true)
			}
		}
		return true
	})
	return string(text)
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
		a.obfuscated(LineBreak, "a line break stands inside an operator", around(source, at, at+3))
	}
}

// innerContinuation finds a backslash and line break with text on both sides,
// and nothing but letters: words that are cut, not lists of them.
func innerContinuation(text string) bool {
	at := strings.Index(text, "\\\n")
	return at > 0 && at+2 < len(text) && isPlain(text[at-1:at]+text[at+2:at+3])
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

// around is a part of a source with what stands on both sides of it.
func around(source string, from, to int) string {
	return strings.ToValidUTF8(source[max(0, from-20):min(len(source), to+20)], "")
}
