// Package clock bounds work in time, without the time that the work waits for people
// or for other work.
package clock

import (
	"context"
	"sync"
	"time"
)

// Clock measures work against a limit. It stands still while it is paused.
type Clock struct {
	mu     sync.Mutex
	limit  time.Duration // 0: none
	worked time.Duration // up to the last pause
	since  time.Time     // of the present stretch of work
	pauses int
	timer  *time.Timer // nil: no limit, or stopped
	expire func()
}

// WithLimit returns a context that ends with cause when the limit is used up (0:
// never), and the clock that counts. stop must be called.
func WithLimit(ctx context.Context, limit time.Duration,
	cause error) (_ context.Context, c *Clock, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c = &Clock{limit: max(limit, 0), since: time.Now(), expire: func() { cancel(cause) }}
	if limit > 0 {
		c.timer = time.AfterFunc(limit, c.expire)
	}
	return ctx, c, func() {
		c.stop()
		cancel(context.Canceled)
	}
}

// Pause stops the clock until resume is called. Pauses may overlap; calling resume
// again does nothing. A nil clock has nothing to stop.
func (c *Clock) Pause() (resume func()) {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses++; c.pauses == 1 {
		c.worked += time.Since(c.since)
		if c.timer != nil {
			c.timer.Stop()
		}
	}
	return sync.OnceFunc(c.resume)
}

func (c *Clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses--; c.pauses > 0 {
		return
	}
	c.since = time.Now()
	if c.timer != nil {
		c.timer.Reset(max(c.limit-c.worked, 0))
	}
}

// Worked is the time at work so far.
func (c *Clock) Worked() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses > 0 {
		return c.worked
	}
	return c.worked + time.Since(c.since)
}

// stop ends the limit for good.
func (c *Clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
}
