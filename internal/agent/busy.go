package agent

import "sync"

// busy counts the sub-agents of a fan-out that can go on by themselves. When there
// is none any more nobody is closed, and none can come back.
type busy struct {
	nobody chan struct{}

	mu   sync.Mutex
	n    int
	over bool
}

func newBusy(n int) *busy { return &busy{n: n, nobody: make(chan struct{})} }

// leave says that one has ended or waits for a person.
func (b *busy) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n--; b.n == 0 && !b.over {
		b.over = true
		close(b.nobody)
	}
}

// enter says that one goes on; false: it is too late.
func (b *busy) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return false
	}
	b.n++
	return true
}
