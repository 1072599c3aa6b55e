package redact

import "sync"

// look is one look at a text: what was found, and in a text that may go on, what
// could still become a find.
type look struct {
	text  string // marks of earlier redaction are blanked
	from  int    // what begins before is settled already and not reported again
	open  bool   // more text may follow
	spans []span
	waits []wait

	matches []match // of custom rules, in an open text

	markAt           int                       // where a mark begins that the end of the text cuts off, or -1
	wordFrom, wordTo int                       // the word that was measured last
	rejected         int                       // tokens in it that were not plausible
	plain            [2]struct{ from, to int } // the value without quotes that was measured last, by kind
	commands         [maxCommands]int          // the end of what was read for each command
	named            int                       // the end of the name that was looked at last
}

// span is a find. keep is the first byte that the decision looked at.
type span struct {
	label            *label
	keep, start, end int
}

// wait says that the end of the text left something undecided: the decision
// needs the text from keep on, and may cover the text from cover on.
type wait struct {
	keep, cover int
}

func (l *look) found(label *label, keep, start, end int) {
	if start < end {
		l.spans = append(l.spans, span{label, keep, start, end})
	}
}

// undecided is called where a decision ran into the end of the text. In a text
// that is complete there is nothing to wait for.
func (l *look) undecided(keep, cover int) {
	if l.open {
		l.waits = append(l.waits, wait{keep, cover})
	}
}

// atEnd says whether a decision at i must wait for more text.
func (l *look) atEnd(i int) bool { return l.open && i >= len(l.text) }

// isCovered says whether a find with this label covers the byte already. What
// begins in it would end with it, so that looking again finds nothing more.
func (l *look) isCovered(label *label, at int) bool {
	for i := len(l.spans) - 1; i >= max(0, len(l.spans)-8); i-- {
		if s := l.spans[i]; s.label == label && s.start <= at && at < s.end {
			return true
		}
	}
	return false
}

// wordEnd is the end of the word of token characters that goes on at i. Words
// are measured once, in pieces of maxWord, so that a long one costs no more.
func (l *look) wordEnd(i int) int {
	if i < l.wordFrom || i >= l.wordTo {
		l.rejected = 0
		l.wordFrom, l.wordTo = i, runEnd(l.text[:min(len(l.text), i+maxWord)], i, isToken)
	}
	return max(i, l.wordTo)
}

var looks = sync.Pool{New: func() any { return new(look) }}

// lookAt looks at a whole text; done must be called when its spans are not needed
// any more.
func (r *ruleSet) lookAt(text string) *look {
	l := r.look(text, 0, false)
	for _, c := range r.customs {
		c.find(l, 0)
	}
	return l
}

// look looks at a text for all but the custom rules; done must be called when its spans are not needed any more.
func (r *ruleSet) look(text string, from int, open bool) *look {
	l := looks.Get().(*look)
	*l = look{from: from, open: open, markAt: -1, named: -1, spans: l.spans[:0], waits: l.waits[:0],
		matches: l.matches[:0]}
	l.text = r.blank(text, l)
	r.values.Load().find(l, r.held)
	if r.keywords == nil {
		return l
	}
	r.keywords.find(l, r.detectors)
	for _, d := range r.detectors {
		if d.scan != nil {
			d.scan(l)
		}
		if d.tail != nil && open {
			d.tail(l)
		}
	}
	return l
}

func (l *look) done() {
	l.text = ""
	looks.Put(l)
}
