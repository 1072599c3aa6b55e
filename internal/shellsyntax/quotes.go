package shellsyntax

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
