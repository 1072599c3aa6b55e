package redact

import (
	"strings"
	"unicode/utf8"
)

const (
	// holdLimit is the most that a stream holds back, in bytes. It is larger than
	// any find of the built-in rules.
	holdLimit = 64 << 10
	// margin is how far a rule may look back before what it looks for.
	margin = 256
)

// Stream redacts secrets in a text that arrives in pieces. It holds back only
// what could be the begin or the middle of a find, and no part of a find leaves
// it; characters are not cut either.
//
// What its calls return, joined, is what Redactor.String returns for the joined
// pieces, where no find is longer than what is read as one: 4 KiB for a
// value, 16 KiB for a word, 32 KiB for a private key, 64 KiB for a match of a
// custom rule. Of longer ones that much is redacted at least.
//
// A Stream is for one goroutine.
type Stream struct {
	r    *ruleSet
	buf  string // the end of the text so far
	sent int    // buf[:sent] has left already
	from int    // what begins before buf[from] is settled
	// after is, for each custom rule, the end of its last match that is settled,
	// where that is after from.
	after map[*customRule]int
}

// Stream starts a text that arrives in pieces.
func (r *Redactor) Stream() *Stream { return &Stream{r: r.rules.Load()} }

// Write takes the next piece of the text and returns what may leave now.
func (s *Stream) Write(chunk string) string {
	if chunk == "" {
		return ""
	}
	s.buf += chunk
	out, held := s.advance(true)
	if held > holdLimit {
		rest, _ := s.advance(false)
		out += rest
	}
	return out
}

// Flush ends the text and returns what was held back. After it the Stream is
// ready for another text.
func (s *Stream) Flush() string {
	out, _ := s.advance(false)
	*s = Stream{r: s.r}
	return out
}

// advance returns what may leave, and how many bytes stay behind.
func (s *Stream) advance(open bool) (out string, held int) {
	text := s.buf
	if open {
		text = text[:wholeRunes(text)]
	}
	sc := s.r.scan(text, min(s.from, len(text)), open)
	defer sc.done()
	for _, c := range s.r.customs {
		c.find(sc, min(max(s.from, s.after[c]), len(text)))
	}
	clusters := merge(sc.spans)
	to := s.mayLeave(sc, clusters)
	out = s.r.render(s.buf, s.sent, to, clusters)

	keep := to
	for _, w := range sc.waits {
		keep = min(keep, w.keep)
	}
	for _, c := range clusters {
		if c.end > to {
			keep = min(keep, c.keep)
		}
	}
	cut := max(0, keep-margin)
	clear(s.after)
	for _, m := range sc.matches {
		if m.start < keep && m.end > keep {
			s.settle(m.rule, m.end-cut)
		}
	}
	s.buf, s.sent, s.from = strings.Clone(s.buf[cut:]), to-cut, keep-cut
	return out, len(s.buf) - s.sent
}

func (s *Stream) settle(rule *customRule, end int) {
	if s.after == nil {
		s.after = map[*customRule]int{}
	}
	s.after[rule] = end
}

// mayLeave is the end of the text that no later text can change any more.
func (s *Stream) mayLeave(sc *scan, clusters []cluster) int {
	to := len(sc.text)
	for _, w := range sc.waits {
		to = min(to, w.redact)
	}
	for i := len(clusters) - 1; i >= 0; i-- {
		// A mark keeps rules from finding something right before it: until it is whole,
		// what is there waits.
		if c := clusters[i]; c.start < to && (to < c.end || sc.markAt >= 0 && c.end+margin > sc.markAt) {
			to = c.start
		}
	}
	return max(to, s.sent)
}

// wholeRunes is the length of s without a character that is cut at its end.
func wholeRunes(s string) int {
	for i := len(s) - 1; i >= 0 && i >= len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return i
			}
			break
		}
	}
	return len(s)
}
