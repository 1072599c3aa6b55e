package agent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// CH10: the time limit of a run is a timeout, and waiting does not count.
func TestTheClockOfARunEndsItWithATimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, _, stop := WithClock(t.Context(), time.Minute)
		defer stop()
		resume := clockOf(ctx).Pause()
		time.Sleep(time.Hour)
		resume()
		if ctx.Err() != nil {
			t.Fatal("the clock ran while the run waited")
		}
		time.Sleep(time.Minute + time.Second)
		var failed *Error
		if !errors.As(context.Cause(ctx), &failed) || failed.Code != CodeTimeout {
			t.Fatalf("the cause is %v, want a timeout", context.Cause(ctx))
		}
	})
}
