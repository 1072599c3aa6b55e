package agent

import (
	"context"
	"time"

	"nanoclaw/internal/clock"
)

type clockKey struct{}

// WithClock returns a context that ends with an *Error of code timeout when a run's
// time limit is used up (0: never), and the clock that counts. It stands still while the
// run waits for a person or for its sub-agents. stop must be called.
func WithClock(ctx context.Context, limit time.Duration) (_ context.Context, c *clock.Clock, stop func()) {
	ctx, c, stop = clock.WithLimit(ctx, limit,
		&Error{Code: CodeTimeout, Message: "the run used up its time limit of " + limit.String()})
	return context.WithValue(ctx, clockKey{}, c), c, stop
}

// clockOf is the clock of the run that ctx belongs to, or nil.
func clockOf(ctx context.Context) *clock.Clock {
	c, _ := ctx.Value(clockKey{}).(*clock.Clock)
	return c
}
