package shellsyntax

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// maxNeedles is how many texts are looked for in place of one expression at most.
const maxNeedles = 64

// needlesOf are texts, in small letters, one of which stands in every match of a
// regular expression; nil: that is not known. Looking for them first is much
// cheaper than the expression.
func needlesOf(parsed *syntax.Regexp) []string {
	needles := needlesIn(parsed.Simplify())
	if len(needles) > maxNeedles {
		return nil
	}
	return needles
}

func needlesIn(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return needlesIn(re.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			needles := needlesIn(sub)
			if needles == nil {
				return nil
			}
			all = append(all, needles...)
		}
		return all
	case syntax.OpConcat:
		return needlesInRow(re.Sub)
	}
	return telling(textsOf(re))
}

// needlesInRow looks at expressions that follow each other. Those of which all
// texts are known are taken together, as long as that is not too many.
func needlesInRow(row []*syntax.Regexp) []string {
	var best []string
	better := func(needles []string) {
		// Of two of a length the later ones: rules name a subcommand first, and then what is rare.
		if needles != nil && (best == nil || shortest(needles) >= shortest(best)) {
			best = needles
		}
	}
	together := []string{""}
	for _, sub := range row {
		texts := textsOf(sub)
		if texts != nil && len(together)*len(texts) <= maxNeedles {
			together = joinedTexts(together, texts)
			continue
		}
		better(telling(together))
		if together = texts; texts == nil {
			better(needlesIn(sub))
			together = []string{""}
		}
	}
	better(telling(together))
	return best
}

// telling are needles that are no empty text, which would be in everything.
func telling(needles []string) []string {
	if len(needles) == 0 || slices.Contains(needles, "") {
		return nil
	}
	return needles
}

// textsOf are all texts that an expression matches, in small letters; nil: they
// are too many, or not known.
func textsOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}
	case syntax.OpLiteral:
		text := strings.ToLower(string(re.Rune))
		for _, r := range text {
			if r > 0x7f {
				return nil // small letters that are longer, or shorter, than their capitals
			}
		}
		return []string{text}
	case syntax.OpCharClass:
		return textsOfClass(re.Rune)
	case syntax.OpCapture:
		return textsOf(re.Sub[0])
	case syntax.OpQuest:
		if texts := textsOf(re.Sub[0]); texts != nil {
			return append([]string{""}, texts...)
		}
	case syntax.OpConcat:
		all := []string{""}
		for _, sub := range re.Sub {
			texts := textsOf(sub)
			if texts == nil || len(all)*len(texts) > maxNeedles {
				return nil
			}
			all = joinedTexts(all, texts)
		}
		return all
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			texts := textsOf(sub)
			if texts == nil || len(all)+len(texts) > maxNeedles {
				return nil
			}
			all = append(all, texts...)
		}
		return all
	}
	return nil
}

// textsOfClass are the characters of a small class, given as pairs of bounds.
func textsOfClass(bounds []rune) []string {
	var all []string
	for i := 0; i+1 < len(bounds); i += 2 {
		if bounds[i+1] > 0x7f || bounds[i+1]-bounds[i] > 8 || len(all) > 8 {
			return nil
		}
		for r := bounds[i]; r <= bounds[i+1]; r++ {
			if text := strings.ToLower(string(r)); !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return all
}

func joinedTexts(heads, tails []string) []string {
	all := make([]string, 0, len(heads)*len(tails))
	for _, head := range heads {
		for _, tail := range tails {
			all = append(all, head+tail)
		}
	}
	return all
}

func shortest(needles []string) int {
	least := len(needles[0])
	for _, needle := range needles {
		least = min(least, len(needle))
	}
	return least
}
