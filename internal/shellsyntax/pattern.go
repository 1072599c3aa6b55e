package shellsyntax

import (
	"regexp"
	regexpsyntax "regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// pattern is a regular expression (RE2), by its alternatives: most of them can be
// ruled out by a look for a text that each of their matches has, and those are never
// even compiled.
type pattern struct {
	alternatives []alternative // empty: none is given
	common       uint64        // pairs that every match in an ASCII text has
}

type alternative struct {
	re      func() *regexp.Regexp
	needles []needle // one of them stands in every match in an ASCII text; nil: unknown
	foreign bool     // and not so in others: K and ſ are capitals of k and s, too
	common  uint64   // pairs that all needles have
}

func newPattern(expression string) (pattern, error) {
	p := pattern{common: ^uint64(0)}
	for _, part := range alternativesOf(expression) {
		parsed, err := regexpsyntax.Parse(part, regexpsyntax.Perl)
		if err != nil {
			return pattern{}, err
		}
		a := alternative{
			re:      sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(part) }),
			needles: withPairs(needlesOf(parsed)),
			foreign: folds(parsed),
		}
		if a.needles != nil {
			a.common = ^uint64(0)
		}
		for _, needle := range a.needles {
			a.common &= needle.pairs
		}
		p.common &= a.common
		p.alternatives = append(p.alternatives, a)
	}
	return p, nil
}

// folds says whether a part of an expression takes small letters and capitals for the same.
func folds(re *regexpsyntax.Regexp) bool {
	return re.Flags&regexpsyntax.FoldCase != 0 || slices.ContainsFunc(re.Sub, folds)
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

func (p pattern) matches(text string) bool {
	s := subjectOf(text)
	return p.matchesSubject(&s)
}

func (p pattern) matchesSubject(s *subject) bool {
	if s.ascii && p.common&^s.pairs != 0 {
		return false
	}
	for i := range p.alternatives {
		if a := &p.alternatives[i]; a.mayMatch(s) && a.re().MatchString(s.text) {
			return true
		}
	}
	return false
}

func (a *alternative) mayMatch(s *subject) bool {
	return a.needles == nil || a.common&^s.pairs == 0 && s.holdsOne(a.needles) || a.foreign && !s.ascii
}

// subject is a text that expressions are matched with.
type subject struct {
	text, lower string
	pairs       uint64
	ascii       bool
}

func subjectOf(text string) subject {
	lower := strings.ToLower(text)
	s := subject{text: text, lower: lower, ascii: true}
	last := byte(0)
	for i := range len(lower) {
		s.pairs |= pairOf(last, lower[i])
		s.ascii = s.ascii && lower[i] < 0x80
		last = lower[i]
	}
	return s
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
		pairs |= pairOf(text[i-1], text[i])
	}
	return pairs
}

func pairOf(a, b byte) uint64 { return 1 << ((uint(a)*37 + uint(b)*11) % 64) }

func (s *subject) holdsOne(needles []needle) bool {
	for i := range needles {
		if n := &needles[i]; n.pairs&^s.pairs == 0 && strings.Contains(s.lower, n.text) {
			return true
		}
	}
	return false
}
