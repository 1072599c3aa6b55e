package agent

import (
	"context"
	"sync"
)

// slot is a sub-agent's place among those of its conversation that are at work.
// One that waits for sub-agents of its own gives it back meanwhile, so that a
// chain of agents that wait for each other needs no more than one place.
type slot struct {
	semaphores *semaphores
	key        string
	limit      int

	mu      sync.Mutex
	leave   func() // nil: it is given back
	waiting int    // calls of the sub-agent that wait for others
}

type slotKey struct{}

func withSlot(ctx context.Context, own *slot) context.Context {
	return context.WithValue(ctx, slotKey{}, own)
}

// slotOf is the place of the sub-agent that ctx belongs to; nil: a root run, which needs none.
func slotOf(ctx context.Context) *slot {
	own, _ := ctx.Value(slotKey{}).(*slot)
	return own
}

// release lets somebody else work until reacquire, which has to follow.
func (s *slot) release() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting++; s.leave != nil {
		s.leave()
		s.leave = nil
	}
}

// reacquire waits for a place again. An ended ctx takes none.
func (s *slot) reacquire(ctx context.Context) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	s.waiting--
	others := s.waiting > 0
	s.mu.Unlock()
	if others {
		return nil
	}
	leave, err := s.semaphores.enter(ctx, s.key, s.limit)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting > 0 || s.leave != nil {
		leave() // another call of it waits by now, or has taken the place
		return nil
	}
	s.leave = leave
	return nil
}

// close gives the place back for good.
func (s *slot) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leave != nil {
		s.leave()
		s.leave = nil
	}
}
