package redact

import (
	"regexp"
	"strings"
)

// format is the format of a service's tokens: a literal begin and what follows.
type format struct {
	rule  string
	begin []string // in the exact case
	rest  string   // RE2, matched right after begin; its first group, where it has one, is what is redacted
	is    traits

	before    uint8 // class of at least beforeMin bytes that must stand before
	beforeMin int
}

// traits are what some formats need beyond their pattern.
type traits uint8

const (
	// whole: the token must end where the pattern ends.
	whole traits = 1 << iota
	// random: the part after begin must look random, because words could
	// stand there.
	random
	// restOnly: only what follows begin is redacted.
	restOnly
)

const (
	// maxWord is the most that is read as one word.
	maxWord = 16 << 10
	// In a word in which so many tokens were not plausible, the rest is scanned in
	// shorter parts, so that no text is slow.
	maxRejected = 8
	shortWord   = 128
)

func (f format) detector(label *label) *detector {
	pattern := regexp.MustCompile(`\A(?:` + f.rest + `)`)
	d := &detector{keywords: f.begin, holds: holdsWords}
	redacted := f.is&restOnly == 0 && pattern.NumSubexp() == 0
	switch {
	case !redacted:
		d.holds = holdsNothing
	case f.before != 0:
		d.holds = holdsAnywhere
	}
	d.find = func(sc *scan, start, end int) {
		if !f.beginsAt(sc.text, start, end) || sc.isRedacted(label, start) {
			return
		}
		word := sc.wordEnd(end)
		if sc.atEnd(word) && word-end < maxWord {
			if redacted {
				sc.undecided(start, start)
			} else {
				sc.undecided(start, end)
			}
			return
		}
		if word < len(sc.text) && sc.text[word] == blankByte {
			return
		}
		if sc.rejected > maxRejected {
			word = min(word, end+shortWord)
		}
		if monotonous(sc.text[end:word]) {
			return
		}
		from, to := start, 0
		if loc := pattern.FindStringSubmatchIndex(sc.text[end:word]); loc == nil {
			return
		} else if to = end + loc[1]; len(loc) > 2 {
			from, to = end+loc[2], end+loc[3]
		} else if !redacted {
			from = end
		}
		if f.is&whole != 0 && !boundaryAfter(sc.text, to) || !f.plausible(sc.text[max(from, end):to]) {
			sc.rejected++
			return
		}
		sc.found(label, start, from, to)
	}
	return d
}

func (f format) beginsAt(text string, start, end int) bool {
	exact := false
	for _, begin := range f.begin {
		exact = exact || text[start:end] == begin
	}
	if !exact {
		return false
	}
	if f.before != 0 {
		return runStart(text, start, f.before, f.beforeMin) == start-f.beforeMin
	}
	return boundaryBefore(text, start)
}

// plausible leaves out what documentation puts in the place of a token.
func (f format) plausible(rest string) bool {
	p := profileOf(rest)
	if p.distinct < min(6, 1+len(rest)/3) || elided(rest) {
		return false
	}
	return f.is&random == 0 || !p.wordy() && (p.digits > 0 || 5*p.changes >= len(rest))
}

// monotonous says early what plausible would say of every token that begins here.
func monotonous(word string) bool {
	const shortest, enough = 14, 32
	return len(word) >= shortest && profileOf(word[:min(len(word), enough)]).distinct < 1+shortest/3
}

// elided says whether a part of the text was left out, or a name was put in its place.
func elided(s string) bool {
	for _, sign := range [...]string{"EXAMPLE", "example", "xxxx", "XXXX", "...", "****", "…", "••", "<", "${", "{{"} {
		if strings.Contains(s, sign) {
			return true
		}
	}
	return false
}
