package agent

import (
	"context"
	"sync"
	"time"
)

// Clock is a run's time limit. It stands still while the run waits for a person
// or for its sub-agents.
type Clock struct {
	mu      sync.Mutex
	limit   time.Duration // what is left; meaningless without a limit
	worked  time.Duration // up to the last pause
	since   time.Time     // of the present stretch of work
	pauses  int
	timer   *time.Timer
	bounded bool
	expire  func()
}

type clockKey struct{}

// WithClock returns a context that ends with an *Error of code timeout when the
// limit is used up (0: never), and the clock that counts. stop must be called.
func WithClock(ctx context.Context, limit time.Duration) (_ context.Context, clock *Clock, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	clock = &Clock{limit: limit, bounded: limit > 0, since: time.Now()}
	clock.expire = func() {
		cancel(&Error{Code: CodeTimeout, Message: "the run used up its time limit of " + limit.String()})
	}
	if clock.bounded {
		clock.timer = time.AfterFunc(limit, clock.expire)
	}
	stop = func() {
		clock.mu.Lock()
		if clock.timer != nil {
			clock.timer.Stop()
		}
		clock.mu.Unlock()
		cancel(context.Canceled)
	}
	return context.WithValue(ctx, clockKey{}, clock), clock, stop
}

// Pause stops the clock until resume is called; pauses may overlap.
func (c *Clock) Pause() (resume func()) {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses++; c.pauses == 1 {
		stretch := time.Since(c.since)
		c.worked += stretch
		if c.bounded {
			c.timer.Stop()
			c.limit -= stretch
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
	if c.bounded {
		c.timer = time.AfterFunc(max(c.limit, 0), c.expire)
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

// clockOf is the clock of the run that ctx belongs to, or nil.
func clockOf(ctx context.Context) *Clock {
	clock, _ := ctx.Value(clockKey{}).(*Clock)
	return clock
}
