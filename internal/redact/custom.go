package redact

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// customRule is a rule of the administrator's own.
type customRule struct {
	label          *label
	pattern        *regexp.Regexp
	literal        string         // every match begins with it; empty: unknown
	later          *regexp.Regexp // pattern, anywhere after the first character; its group is 1
	partialMatcher *partialMatcher
}

func newCustomRule(rule Rule, label *label) (*customRule, error) {
	pattern, err := regexp.Compile(rule.Pattern)
	if err != nil {
		return nil, fmt.Errorf("redaction rule %q: the pattern is no RE2 expression: %w", rule.ID, err)
	}
	if pattern.MatchString("") {
		return nil, fmt.Errorf("redaction rule %q: the pattern matches the empty text, so it would match everywhere",
			rule.ID)
	}
	later, err := regexp.Compile(`\A(?s:.)(?s:.*?)(` + rule.Pattern + `)`)
	if err != nil {
		return nil, fmt.Errorf("redaction rule %q: %w", rule.ID, err)
	}
	partialMatcher, err := newPartialMatcher(rule.Pattern)
	if err != nil {
		return nil, fmt.Errorf("redaction rule %q: %w", rule.ID, err)
	}
	literal, _ := pattern.LiteralPrefix()
	return &customRule{label, pattern, literal, later, partialMatcher}, nil
}

// find scans the text from a place on; what begins before it is settled.
func (c *customRule) find(sc *scan, from int) {
	if sc.open {
		if at := c.partialMatcher.earliestPartial(sc.text, from); at >= 0 {
			sc.undecided(at, at)
		}
	}
	if c.literal != "" && !strings.Contains(sc.text[from:], c.literal) {
		return
	}
	if from == 0 {
		for _, loc := range c.pattern.FindAllStringSubmatchIndex(sc.text, -1) {
			c.redact(sc, loc, 0)
		}
		return
	}
	// RE2 reads one character before a match (for \b and ^), so one of what is
	// settled is scanned again.
	for at := from; at < len(sc.text); {
		_, n := utf8.DecodeLastRuneInString(sc.text[:at])
		loc := c.later.FindStringSubmatchIndex(sc.text[at-n:])
		if loc == nil {
			return
		}
		c.redact(sc, loc[2:], at-n)
		end := at - n + loc[3]
		if loc[3] == loc[2] { // empty: go on after the next character
			_, n = utf8.DecodeRuneInString(sc.text[end:])
			end += max(n, 1)
		}
		at = end
	}
}

// redact reports a match but for the marks in it: what is redacted stays redacted.
func (c *customRule) redact(sc *scan, loc []int, offset int) {
	start, end := loc[0]+offset, loc[1]+offset
	from, to := start, end
	if len(loc) > 2 && loc[2] >= 0 {
		from, to = loc[2]+offset, loc[3]+offset
	}
	if sc.open {
		sc.matches = append(sc.matches, match{c, start, end})
	}
	for from < to {
		end := from
		for end < to && sc.text[end] != blankByte {
			end++
		}
		sc.found(c.label, start, from, end)
		for from = end; from < to && sc.text[from] == blankByte; {
			from++
		}
	}
}

// match is where a custom rule matched, with what it does not redact.
type match struct {
	rule       *customRule
	start, end int
}
