package shellsyntax

import (
	"regexp/syntax"
	"strings"
)

// needlesOf are texts, in small letters, one of which stands in every match of a
// regular expression; nil: that is not known. Looking for them first is much
// cheaper than the expression.
func needlesOf(parsed *syntax.Regexp) []string {
	needles := needlesIn(parsed.Simplify())
	if len(needles) > 64 {
		return nil
	}
	return needles
}

func needlesIn(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		text := strings.ToLower(string(re.Rune))
		for _, r := range text {
			if r > 0x7f || r == 'k' && re.Flags&syntax.FoldCase != 0 || r == 's' && re.Flags&syntax.FoldCase != 0 {
				return nil // letters with strange capitals
			}
		}
		return []string{text}
	case syntax.OpCapture, syntax.OpPlus:
		return needlesIn(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needlesIn(re.Sub[0])
		}
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
		var best []string
		for _, sub := range re.Sub {
			// Of two of a length the later one: rules name a subcommand first, and then what is rare.
			if needles := needlesIn(sub); needles != nil && (best == nil || shortest(needles) >= shortest(best)) {
				best = needles
			}
		}
		return best
	}
	return nil
}

func shortest(needles []string) int {
	least := len(needles[0])
	for _, needle := range needles {
		least = min(least, len(needle))
	}
	return least
}

func holdsOne(lower string, needles []string) bool {
	for _, needle := range needles {
		if strings.Contains(lower, needle) {
			return true
		}
	}
	return false
}
