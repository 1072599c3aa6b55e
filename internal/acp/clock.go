package acp

import (
	"context"
	"sync"
	"time"
)

// clock ends a task's context when its time is used up. It stands still while the
// agent waits for a person.
type clock struct {
	mu     sync.Mutex
	timer  *time.Timer // nil: no limit
	left   time.Duration
	since  time.Time // when it last began to run
	pauses int
}

// withLimit returns a context that ends with cause when the limit is used up (0:
// never), its clock, and what stops that.
func withLimit(ctx context.Context, limit time.Duration, cause error) (context.Context, *clock, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &clock{left: limit, since: time.Now()}
	if limit > 0 {
		c.timer = time.AfterFunc(limit, func() { cancel(cause) })
	}
	return ctx, c, func() {
		if c.timer != nil {
			c.timer.Stop()
		}
		cancel(context.Canceled)
	}
}

// pause stops the clock until resume is called; pauses may overlap.
func (c *clock) pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses++; c.pauses == 1 && c.timer != nil && c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.pauses--; c.pauses == 0 && c.timer != nil {
			c.since = time.Now()
			c.timer.Reset(max(c.left, 0))
		}
	})
}
