package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// joinedInQuotes says whether a quoted word has more than one part, and no blanks:
// what is meant for people has some.
func joinedInQuotes(word *syntax.Word) bool {
	q, ok := firstPart(word.Parts).(*syntax.DblQuoted)
	if !ok || len(q.Parts) < 2 {
		return false
	}
	return !slices.ContainsFunc(q.Parts, func(part syntax.WordPart) bool {
		lit, ok := part.(*syntax.Lit)
		return ok && strings.Contains(lit.Value, " ")
	})
}

func (z *analyzer) oddBackslash(program, value string) {
	if slices.Contains(regular, program) || !needlessBackslash(value) {
		return
	}
	for i := range len(value) {
		if !isNameByte(value[i]) && strings.IndexByte(`\/.-_~`, value[i]) < 0 {
			return
		}
	}
	z.odd(ObfuscatedWord, value, "a word is taken apart with backslashes")
}

// oddQuotes finds quotes in the middle of a word that nothing needs: pass”wd, -"r"f.
func (z *analyzer) oddQuotes(word *syntax.Word) {
	for i, part := range word.Parts {
		inner, quoted := quotedText(part)
		if !quoted || inner != "" && !isPlain(inner) {
			continue
		}
		var before, after byte
		if i > 0 {
			if lit, ok := word.Parts[i-1].(*syntax.Lit); ok && lit.Value != "" {
				before = lit.Value[len(lit.Value)-1]
			}
		}
		if i+1 < len(word.Parts) {
			if lit, ok := word.Parts[i+1].(*syntax.Lit); ok && lit.Value != "" {
				after = lit.Value[0]
			}
		}
		flag := before == '-' && i == 1
		switch {
		case inner != "" && before == '/' && isNameByte(after) && isLetters(inner) && len(inner) < 12:
			z.oddAt(ObfuscatedWord, word, "a word is taken apart with quotes")
			return
		}
		switch {
		case inner == "" && (isNameByte(before) || before == '-' || before == '/') && (isNameByte(after) || after == '/'),
			inner != "" && isNameByte(before) && isNameByte(after) && len(inner) < 12,
			inner != "" && i == 0 && isLetters(inner) && after >= 'a' && after <= 'z' && len(word.Parts) == 2,
			inner != "" && isNameByte(before) && i == len(word.Parts)-1 && i == 1 && bare(word.Parts[0]),
			flag && (isNameByte(after) || len(word.Parts) == 2 && len(inner) > 1):
			z.oddAt(ObfuscatedWord, word, "a word is taken apart with quotes")
			return
		}
	}
}

// bare says whether text is the beginning of a subcommand or a long flag.
func bare(part syntax.WordPart) bool {
	lit, ok := part.(*syntax.Lit)
	return ok && isLetters(strings.TrimLeft(lit.Value, "-")) && len(strings.TrimLeft(lit.Value, "-")) > 1
}

func quotedText(part syntax.WordPart) (string, bool) {
	switch part := part.(type) {
	case *syntax.SglQuoted:
		return part.Value, !part.Dollar
	case *syntax.DblQuoted:
		if len(part.Parts) == 0 {
			return "", !part.Dollar
		}
		if lit, ok := part.Parts[0].(*syntax.Lit); ok && len(part.Parts) == 1 {
			return lit.Value, !part.Dollar
		}
	}
	return "", false
}
