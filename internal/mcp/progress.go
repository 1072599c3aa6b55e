package mcp

import (
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressInterval is the least time between two progress notes of one call.
const progressInterval = 50 * time.Millisecond

// progressNotes passes the progress of one call on, one note at a time, not too
// many of them, and none after the call has its answer.
type progressNotes struct {
	tell func(message string, fraction float64)

	mu   sync.Mutex // held while telling
	last time.Time
	over bool
}

func (p *progressNotes) pass(note *mcp.ProgressNotificationParams) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || time.Since(p.last) < progressInterval {
		return
	}
	p.last = time.Now()
	fraction := -1.0
	if note.Total > 0 && !math.IsNaN(note.Progress) {
		fraction = min(max(note.Progress/note.Total, 0), 1)
	}
	p.tell(cutRunes(note.Message, 500), fraction)
}

// end waits for a note that is being told, and lets no other through.
func (p *progressNotes) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
}
