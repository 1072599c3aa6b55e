package shellsyntax

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// could says whether a word of the source can become a word that is so: quotes and
// variables write -c as well as -c itself does.
func (z *analyzer) could(word *syntax.Word, be func(string) bool) bool {
	if simple, ok := plain(word); ok {
		return be(simple.Value)
	}
	if text, quoted := wholeQuote(word); quoted {
		return be(text)
	}
	for _, t := range z.x.texts(word.Parts) {
		for _, field := range z.x.fieldsOf(t) {
			if field.Static && be(field.Value) {
				return true
			}
		}
	}
	return false
}

// anyCould says whether one of several words can become a word that is so.
func (z *analyzer) anyCould(words []*syntax.Word, be func(string) bool) bool {
	for _, word := range words {
		if z.could(word, be) {
			return true
		}
	}
	return false
}

// written is what a word becomes, where it becomes one word that is known; empty
// where not.
func (x *expander) written(word *syntax.Word) string {
	if simple, ok := plain(word); ok {
		return simple.Value
	}
	if text, quoted := wholeQuote(word); quoted {
		return text
	}
	if fields := x.first(word); len(fields) == 1 && fields[0].Static {
		return fields[0].Value
	}
	return ""
}

// wholeQuote is the text of a word that is a pair of quotes and plain text.
func wholeQuote(word *syntax.Word) (string, bool) {
	if len(word.Parts) != 1 {
		return "", false
	}
	text, quoted := quotedText(word.Parts[0])
	if _, double := word.Parts[0].(*syntax.DblQuoted); double && strings.IndexByte(text, '\\') >= 0 {
		return "", false
	}
	return text, quoted
}

// nameOf is the program that a word names, of its first alternative.
func (z *analyzer) nameOf(word *syntax.Word) string {
	if name := nameOf(&syntax.CallExpr{Args: []*syntax.Word{word}}); name != "" {
		return name
	}
	return programOf(z.x.first(word))
}

// isInput says whether a file name is what a program reads anyway.
func isInput(name string) bool {
	return name == "/dev/stdin" || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}
