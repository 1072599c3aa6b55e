package llmtest

import (
	"context"
	"sync"
)

// Gate holds replies until the test opens it, and tells the test that they have
// arrived. One gate can hold many replies.
type Gate struct {
	arrived chan struct{}
	open    chan struct{}
	once    sync.Once
}

// NewGate returns a closed gate.
func NewGate() *Gate {
	return &Gate{arrived: make(chan struct{}, 1<<16), open: make(chan struct{})}
}

// Reached receives one value for each reply that arrives at the gate.
func (g *Gate) Reached() <-chan struct{} { return g.arrived }

// Release opens the gate for good. It may be called more than once.
func (g *Gate) Release() { g.once.Do(func() { close(g.open) }) }

// wait reports whether the gate opened before ctx ended.
func (g *Gate) wait(ctx context.Context) bool {
	select {
	case g.arrived <- struct{}{}:
	default: // nobody counts that many
	}
	select {
	case <-g.open:
		return true
	case <-ctx.Done():
		return false
	}
}
