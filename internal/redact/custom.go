package redact

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// customRule is a rule of the administrator's own.
type customRule struct {
	label   *label
	pattern *regexp.Regexp
	literal string         // every match begins with it; empty: unknown
	later   *regexp.Regexp // pattern, anywhere after the first character; its group is 1
	threads *threads
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
	threads, err := newThreads(rule.Pattern)
	if err != nil {
		return nil, fmt.Errorf("redaction rule %q: %w", rule.ID, err)
	}
	literal, _ := pattern.LiteralPrefix()
	return &customRule{label, pattern, literal, later, threads}, nil
}

// find looks at the text from a place on; what begins before it is settled.
func (c *customRule) find(l *look, from int) {
	if l.open {
		if at := c.threads.alive(l.text, from); at >= 0 {
			l.undecided(at, at)
		}
	}
	if c.literal != "" && !strings.Contains(l.text[from:], c.literal) {
		return
	}
	if from == 0 {
		for _, loc := range c.pattern.FindAllStringSubmatchIndex(l.text, -1) {
			c.cover(l, loc, 0)
		}
		return
	}
	// RE2 looks at one character before a match (for \b and ^), so one of what is
	// settled is looked at again.
	for at := from; at < len(l.text); {
		_, n := utf8.DecodeLastRuneInString(l.text[:at])
		loc := c.later.FindStringSubmatchIndex(l.text[at-n:])
		if loc == nil {
			return
		}
		c.cover(l, loc[2:], at-n)
		end := at - n + loc[3]
		if loc[3] == loc[2] { // empty: go on after the next character
			_, n = utf8.DecodeRuneInString(l.text[end:])
			end += max(n, 1)
		}
		at = end
	}
}

// cover reports a match but for the marks in it: what is covered stays covered.
func (c *customRule) cover(l *look, loc []int, offset int) {
	start, end := loc[0]+offset, loc[1]+offset
	from, to := start, end
	if len(loc) > 2 && loc[2] >= 0 {
		from, to = loc[2]+offset, loc[3]+offset
	}
	if l.open {
		l.matches = append(l.matches, match{c, start, end})
	}
	for from < to {
		end := from
		for end < to && l.text[end] != blankByte {
			end++
		}
		l.found(c.label, start, from, end)
		for from = end; from < to && l.text[from] == blankByte; {
			from++
		}
	}
}

// match is where a custom rule matched, with what it does not cover.
type match struct {
	rule       *customRule
	start, end int
}
