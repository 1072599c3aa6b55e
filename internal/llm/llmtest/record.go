package llmtest

import (
	"slices"
	"sync"
)

// journal remembers the requests and when each began and ended, as ticks of one
// counter, so that overlaps can be counted afterwards for any filter.
type journal struct {
	mu      sync.Mutex
	tick    int
	total   int
	limit   int // requests kept; 0: all
	entries []*entry
	changed chan struct{} // closed at every change, for waiting
}

type entry struct {
	request    Request
	unmatched  bool
	begun      int
	ended      int // 0: still at work
	clientGone bool
}

func (j *journal) begin(req Request) *entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tick++
	j.total++
	req.N = j.total
	e := &entry{request: req, begun: j.tick}
	j.entries = append(j.entries, e)
	if j.limit > 0 && len(j.entries) > 2*j.limit {
		j.entries = slices.DeleteFunc(j.entries, func(old *entry) bool {
			return old.ended > 0 && j.total-old.request.N >= j.limit
		})
	}
	j.signal()
	return e
}

func (j *journal) end(e *entry, clientGone bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tick++
	e.ended, e.clientGone = j.tick, clientGone
	j.signal()
}

func (j *journal) keep(limit int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.limit = limit
}

func (j *journal) reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries, j.total = nil, 0
	j.signal()
}

func (j *journal) markUnmatched(e *entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e.unmatched = true
}

func (j *journal) signal() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

func (j *journal) next() <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	return j.changed
}

func (j *journal) find(keep func(*entry) bool) []*entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	var found []*entry
	for _, e := range j.entries {
		if keep(e) {
			copied := *e
			found = append(found, &copied)
		}
	}
	return found
}

// highest is the largest number of the entries that were at work at one time.
func highest(entries []*entry) int {
	type edge struct{ tick, step int }
	var edges []edge
	for _, e := range entries {
		edges = append(edges, edge{e.begun, 1})
		if e.ended > 0 {
			edges = append(edges, edge{e.ended, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return a.tick - b.tick })
	most, now := 0, 0
	for _, e := range edges {
		now += e.step
		most = max(most, now)
	}
	return most
}
