package shellsyntax

import (
	"regexp"
	regexpsyntax "regexp/syntax"
	"strings"
	"sync"
)

// pattern is a regular expression (RE2), by its alternatives: most of them can be
// ruled out by a look for a text that each of their matches has, and those are never
// even compiled.
type pattern struct{ alternatives []alternative } // empty: none is given

type alternative struct {
	re      func() *regexp.Regexp
	needles []needle // one of them stands in every match; nil: unknown
}

func newPattern(expression string) (pattern, error) {
	var p pattern
	for _, part := range alternativesOf(expression) {
		parsed, err := regexpsyntax.Parse(part, regexpsyntax.Perl)
		if err != nil {
			return pattern{}, err
		}
		p.alternatives = append(p.alternatives, alternative{
			re:      sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(part) }),
			needles: withPairs(needlesOf(parsed)),
		})
	}
	return p, nil
}

// alternativesOf cuts an expression at the | that stand in no group and no class.
// Flags such as (?i) hold for all that follows them; an expression that has some in
// the middle of an alternative stays whole.
func alternativesOf(expression string) []string {
	var parts []string
	flags, start, depth := "", 0, 0
	for i := 0; i < len(expression); i++ {
		switch expression[i] {
		case '\\':
			i++
		case '[':
			i += classEnd(expression[i:])
		case '(':
			if set := flagGroup.FindString(expression[i:]); set != "" && depth == 0 {
				if i > start {
					return []string{expression}
				}
				flags += set
				start = i + len(set)
				i = start - 1
				continue
			}
			depth++
		case ')':
			depth--
		case '|':
			if depth == 0 {
				parts = append(parts, flags+expression[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, flags+expression[start:])
}

var flagGroup = regexp.MustCompile(`^\(\?[imsU-]+\)`)

// classEnd is where the class ends that an expression begins with: []x] and [^]x]
// hold a bracket, as do escapes and [[:alpha:]].
func classEnd(expression string) int {
	i := 1
	if strings.HasPrefix(expression[i:], "^") {
		i++
	}
	if strings.HasPrefix(expression[i:], "]") {
		i++
	}
	for ; i < len(expression) && expression[i] != ']'; i++ {
		switch {
		case expression[i] == '\\':
			i++
		case strings.HasPrefix(expression[i:], "[:"):
			i += max(0, strings.Index(expression[i:], ":]")) + 1
		}
	}
	return i
}

func (p pattern) given() bool { return p.alternatives != nil }

func (p pattern) matches(text string) bool { return p.matchesSubject(subjectOf(text)) }

func (p pattern) matchesSubject(s subject) bool {
	for i := range p.alternatives {
		a := &p.alternatives[i]
		if (a.needles == nil || s.holdsOne(a.needles)) && a.re().MatchString(s.text) {
			return true
		}
	}
	return false
}

// subject is a text that expressions are matched with.
type subject struct {
	text, lower string
	pairs       uint64
}

func subjectOf(text string) subject {
	lower := strings.ToLower(text)
	return subject{text, lower, pairsOf(lower)}
}

// needle is a text that is looked for.
type needle struct {
	text  string
	pairs uint64
}

func withPairs(texts []string) []needle {
	var needles []needle
	for _, text := range texts {
		needles = append(needles, needle{text, pairsOf(text)})
	}
	return needles
}

// pairsOf has a bit for every two characters that follow each other. A text without
// all bits of another one does not hold it, which tells most needles apart at once.
func pairsOf(text string) uint64 {
	var pairs uint64
	for i := 1; i < len(text); i++ {
		pairs |= 1 << ((uint(text[i-1])*37 + uint(text[i])*11) % 64)
	}
	return pairs
}

func (s *subject) holdsOne(needles []needle) bool {
	for i := range needles {
		if n := &needles[i]; n.pairs&^s.pairs == 0 && strings.Contains(s.lower, n.text) {
			return true
		}
	}
	return false
}
