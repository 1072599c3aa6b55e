package clock

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// CH10, EX5: the limit counts work alone: waiting stops the clock.
func TestAClockStandsStillWhileItIsPaused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		over := errors.New("over")
		ctx, c, stop := WithLimit(t.Context(), time.Minute, over)
		defer stop()
		time.Sleep(40 * time.Second)
		outer, inner := c.Pause(), c.Pause()
		time.Sleep(time.Hour)
		outer()
		outer()
		time.Sleep(time.Hour)
		if ctx.Err() != nil || c.Worked() != 40*time.Second {
			t.Fatal("the clock ran while it was paused")
		}
		inner()
		time.Sleep(19 * time.Second)
		if ctx.Err() != nil || c.Worked() != 59*time.Second {
			t.Fatalf("after %s: %v", c.Worked(), ctx.Err())
		}
		time.Sleep(2 * time.Second)
		if cause := context.Cause(ctx); !errors.Is(cause, over) {
			t.Fatalf("the cause is %v", cause)
		}
	})
}

func TestAClockWithoutALimitNeverEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, c, stop := WithLimit(t.Context(), 0, errors.New("over"))
		defer stop()
		c.Pause()()
		time.Sleep(1000 * time.Hour)
		if ctx.Err() != nil || c.Worked() != 1000*time.Hour {
			t.Fatalf("%v after %s", ctx.Err(), c.Worked())
		}
	})
}

// A clock that is stopped ends its context as a cancellation, also when it is resumed.
func TestAStoppedClockDoesNotExpire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		over := errors.New("over")
		ctx, c, stop := WithLimit(t.Context(), time.Second, over)
		resume := c.Pause()
		stop()
		resume()
		time.Sleep(time.Hour)
		if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
			t.Fatalf("the cause is %v", cause)
		}
	})
}
