package agent

import "sync"

// activeSet counts the sub-agents of a fan-out that can go on by themselves. When there
// is none any more idle is closed, and none can come back.
type activeSet struct {
	idle chan struct{}

	mu   sync.Mutex
	n    int
	over bool
}

func newActiveSet(n int) *activeSet { return &activeSet{n: n, idle: make(chan struct{})} }

// leave says that one has ended or waits for a person.
func (b *activeSet) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n--; b.n == 0 && !b.over {
		b.over = true
		close(b.idle)
	}
}

// enter says that one goes on; false: it is too late.
func (b *activeSet) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return false
	}
	b.n++
	return true
}
