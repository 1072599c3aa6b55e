package redact

import "sync"

// scan is one pass over a text: what was found, and in a text that may go on, what
// could still become a find.
type scan struct {
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
	named            int                       // the end of the name that was read last
}

// span is a find. keep is the first byte that the decision read.
type span struct {
	label            *label
	keep, start, end int
}

// wait says that the end of the text left something undecided: the decision
// needs the text from keep on, and may redact the text from redact on.
type wait struct {
	keep, redact int
}

func (sc *scan) found(label *label, keep, start, end int) {
	if start < end {
		sc.spans = append(sc.spans, span{label, keep, start, end})
	}
}

// undecided is called where a decision ran into the end of the text. In a text
// that is complete there is nothing to wait for.
func (sc *scan) undecided(keep, redact int) {
	if sc.open {
		sc.waits = append(sc.waits, wait{keep, redact})
	}
}

// atEnd says whether a decision at i must wait for more text.
func (sc *scan) atEnd(i int) bool { return sc.open && i >= len(sc.text) }

// isRedacted says whether a find with this label redacts the byte already. What
// begins in it would end with it, so that looking again finds nothing more.
func (sc *scan) isRedacted(label *label, at int) bool {
	for i := len(sc.spans) - 1; i >= max(0, len(sc.spans)-8); i-- {
		if s := sc.spans[i]; s.label == label && s.start <= at && at < s.end {
			return true
		}
	}
	return false
}

// wordEnd is the end of the word of token characters that goes on at i. Words
// are measured once, in pieces of maxWord, so that a long one costs no more.
func (sc *scan) wordEnd(i int) int {
	if i < sc.wordFrom || i >= sc.wordTo {
		sc.rejected = 0
		sc.wordFrom, sc.wordTo = i, runEnd(sc.text[:min(len(sc.text), i+maxWord)], i, isToken)
	}
	return max(i, sc.wordTo)
}

var scans = sync.Pool{New: func() any { return new(scan) }}

// scanText reads a whole text; done must be called when its spans are not needed
// any more.
func (r *ruleSet) scanText(text string) *scan {
	sc := r.scan(text, 0, false)
	for _, c := range r.customs {
		c.find(sc, 0)
	}
	return sc
}

// scan scans a text for all but the custom rules; done must be called when its spans are not needed any more.
func (r *ruleSet) scan(text string, from int, open bool) *scan {
	sc := scans.Get().(*scan)
	*sc = scan{from: from, open: open, markAt: -1, named: -1, spans: sc.spans[:0], waits: sc.waits[:0],
		matches: sc.matches[:0]}
	sc.text = r.blank(text, sc)
	r.values.Load().find(sc, r.held)
	if r.keywords == nil {
		return sc
	}
	r.keywords.find(sc, r.detectors)
	for _, d := range r.detectors {
		if d.scanAll != nil {
			d.scanAll(sc)
		}
		if d.tail != nil && open {
			d.tail(sc)
		}
	}
	return sc
}

func (sc *scan) done() {
	sc.text = ""
	scans.Put(sc)
}
