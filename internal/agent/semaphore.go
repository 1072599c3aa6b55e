package agent

import (
	"context"
	"sync"
)

// semaphores bound how many sub-agents of one conversation are at work at once. The
// cap comes with each request, so that a changed setting holds from the next
// fan-out. Waiters are served in order.
type semaphores struct {
	mu    sync.Mutex
	byKey map[string]*gate
}

type gate struct {
	active  int
	waiters []*waiter
}

type waiter struct {
	cap   int
	ready chan struct{}
}

func newSemaphores() *semaphores { return &semaphores{byKey: map[string]*gate{}} }

// enter waits for a slot and returns what gives it back, or the end of ctx.
func (g *semaphores) enter(ctx context.Context, key string, limit int) (leave func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return g.wait(ctx, key, g.join(key, limit))
}

// join takes the next place in the line. wait or abandon has to follow.
func (g *semaphores) join(key string, limit int) *waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	slot := g.byKey[key]
	if slot == nil {
		slot = &gate{}
		g.byKey[key] = slot
	}
	w := &waiter{cap: limit, ready: make(chan struct{})}
	if slot.active < limit && len(slot.waiters) == 0 {
		slot.active++
		close(w.ready)
	} else {
		slot.waiters = append(slot.waiters, w)
	}
	return w
}

// wait is enter for one that has joined the line.
func (g *semaphores) wait(ctx context.Context, key string, w *waiter) (leave func(), err error) {
	if ctx.Err() == nil {
		select {
		case <-w.ready:
			return sync.OnceFunc(func() { g.leave(key) }), nil
		case <-ctx.Done():
		}
	}
	g.abandon(key, w)
	return nil, context.Cause(ctx)
}

func (g *semaphores) leave(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.byKey[key].active--
	g.serve(key)
}

// abandon takes a waiter out of the line; one that was served meanwhile gives its
// slot on.
func (g *semaphores) abandon(key string, w *waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	slot := g.byKey[key]
	for i, waiting := range slot.waiters {
		if waiting == w {
			slot.waiters = append(slot.waiters[:i], slot.waiters[i+1:]...)
			g.serve(key)
			return
		}
	}
	slot.active--
	g.serve(key)
}

func (g *semaphores) serve(key string) {
	slot := g.byKey[key]
	for len(slot.waiters) > 0 && slot.active < slot.waiters[0].cap {
		slot.active++
		close(slot.waiters[0].ready)
		slot.waiters = slot.waiters[1:]
	}
	if slot.active == 0 && len(slot.waiters) == 0 {
		delete(g.byKey, key)
	}
}
