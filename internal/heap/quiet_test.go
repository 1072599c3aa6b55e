package heap

import (
	"context"
	"runtime/metrics"
	"slices"
	"testing"
)

func TestTheEndOfWorkIsFound(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	w := watcher{}
	for i, step := range []struct {
		allocated, spare uint64 // the first in this second
		want             bool
	}{
		{0, 50 * mb, false}, {0, 50 * mb, false}, {0, 50 * mb, false}, // it never worked
		{9 * mb, 50 * mb, false}, {9 * mb, 50 * mb, false}, {0, 50 * mb, false}, {1 << 10, 50 * mb, true}, {0, 50 * mb, false}, // once
		{9 * mb, 50 * mb, false}, {0, 50 * mb, false}, {9 * mb, 50 * mb, false}, {0, 50 * mb, false}, {0, 1 * mb, false}, {0, 50 * mb, false}, // nothing to give
	} {
		now := reading{allocated: w.last.allocated + step.allocated, spare: step.spare}
		if got := w.tick(now); got != step.want {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
}

func TestTheRuntimeKnowsWhatIsRead(t *testing.T) {
	t.Parallel()
	for _, name := range metricNames {
		if !slices.ContainsFunc(metrics.All(), func(d metrics.Description) bool { return d.Name == name && d.Kind == metrics.KindUint64 }) {
			t.Errorf("the runtime has no %s", name)
		}
	}
	if r := read(); r.allocated == 0 {
		t.Error("nothing was allocated")
	}
}

// It releases when work has ended, and ends with its context.
func TestReleaseWhenQuiet(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	ctx, cancel := context.WithCancel(t.Context())
	ticks, released := make(chan struct{}), make(chan struct{}, 1)
	at := 0
	readings := []reading{{}, {9 * mb, 9 * mb}, {9 * mb, 9 * mb}, {9 * mb, 9 * mb}, {9 * mb, 9 * mb}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		watch(ctx, ticks, func() reading { at++; return readings[min(at, len(readings))-1] }, func() { released <- struct{}{} })
	}()
	for range 4 {
		ticks <- struct{}{}
	}
	cancel()
	<-done
	if len(released) != 1 {
		t.Errorf("released %d times, want once", len(released))
	}
}
