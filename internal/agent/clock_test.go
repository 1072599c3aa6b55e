package agent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// CH10: the time limit counts work alone: waiting stops the clock.
func TestAClockStandsStillWhileItsRunWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, clock, stop := WithClock(t.Context(), time.Minute)
		defer stop()
		time.Sleep(40 * time.Second)
		outer := clock.Pause()
		inner := clockOf(ctx).Pause()
		time.Sleep(time.Hour)
		outer()
		outer()
		time.Sleep(time.Hour)
		if ctx.Err() != nil {
			t.Fatal("the clock ran while the run waited")
		}
		inner()
		time.Sleep(19 * time.Second)
		if ctx.Err() != nil || clock.Worked() != 59*time.Second {
			t.Fatalf("after %s: %v", clock.Worked(), ctx.Err())
		}
		time.Sleep(2 * time.Second)
		var failed *Error
		if !errors.As(context.Cause(ctx), &failed) || failed.Code != CodeTimeout {
			t.Fatalf("the cause is %v, want a timeout", context.Cause(ctx))
		}
	})
}

func TestAClockWithoutALimitNeverEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, clock, stop := WithClock(t.Context(), 0)
		defer stop()
		time.Sleep(1000 * time.Hour)
		if ctx.Err() != nil || clock.Worked() != 1000*time.Hour {
			t.Fatalf("%v after %s", ctx.Err(), clock.Worked())
		}
	})
}
