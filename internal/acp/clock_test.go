package acp

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"nanoclaw/internal/tools"
)

// EX5: the time of a task stands still while somebody waits for a person.
func TestTheClockOfATaskStandsStill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		over := errors.New("over")
		ctx, c, stop := withLimit(t.Context(), time.Second, over)
		defer stop()
		time.Sleep(600 * time.Millisecond)
		first, second := c.pause(), c.pause()
		time.Sleep(time.Hour)
		first()
		first()
		time.Sleep(time.Hour)
		second()
		time.Sleep(399 * time.Millisecond)
		if ctx.Err() != nil {
			t.Error("the wait counted")
		}
		time.Sleep(2 * time.Millisecond)
		if !errors.Is(context.Cause(ctx), over) {
			t.Errorf("the limit is over, but the context says %v", context.Cause(ctx))
		}
	})
}

type valueKey struct{}

// EX5, TG5: whoever decides gets the context of the call, and the task's time
// stands still meanwhile.
func TestWhoDecidesKnowsTheCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var seen any
	w.agents.Decide = func(ctx context.Context, _ tools.Call, _ PermissionRequest) Decision {
		seen = ctx.Value(valueKey{})
		return Decision{Allowed: true}
	}
	ctx := context.WithValue(t.Context(), valueKey{}, "of the call")
	answer, err := w.agents.Delegate(ctx, w.call(), "coder", "permission allow_once")
	if err != nil || answer.Response == "" || seen != "of the call" {
		t.Errorf("answer %+v, %v; seen %v", answer, err, seen)
	}
}
