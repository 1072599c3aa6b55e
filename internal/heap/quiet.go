package heap

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Bounds of ReleaseWhenQuiet.
const (
	quietBytes = 512 << 10 // allocated in a second at most, as by tickers and metrics
	quietTicks = 2         // seconds of quiet after work
	worthBytes = 4 << 20   // that can be given back at least
)

// ReleaseWhenQuiet gives memory back to the system two seconds after the program has
// worked, until ctx ends. Go itself keeps what a burst took, and gives it back over
// minutes.
func ReleaseWhenQuiet(ctx context.Context) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	watch(ctx, ticker.C, read, debug.FreeOSMemory)
}

func watch[T any](ctx context.Context, ticks <-chan T, read func() reading, release func()) {
	w := watcher{last: read()}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
			if w.tick(read()) {
				release()
			}
		}
	}
}

// reading is how much memory there is, in bytes.
type reading struct {
	allocated uint64 // since the start
	spare     uint64 // that a release would give back: free pages, and garbage
}

// metricNames are those of read, in its order.
var metricNames = []string{"/gc/heap/allocs:bytes", "/memory/classes/heap/free:bytes", "/memory/classes/heap/objects:bytes", "/gc/heap/live:bytes"}

func read() reading {
	samples := make([]metrics.Sample, len(metricNames))
	for i, name := range metricNames {
		samples[i].Name = name
	}
	metrics.Read(samples)
	value := func(i int) uint64 {
		if samples[i].Value.Kind() != metrics.KindUint64 {
			return 0
		}
		return samples[i].Value.Uint64()
	}
	r := reading{allocated: value(0), spare: value(1)}
	if objects, live := value(2), value(3); objects > live {
		r.spare += objects - live
	}
	return r
}

// watcher finds the end of work.
type watcher struct {
	last   reading
	worked bool // since the last release
	quiet  int  // ticks
}

// tick says whether it is time to release.
func (w *watcher) tick(now reading) bool {
	before := w.last
	w.last = now
	if now.allocated-before.allocated > quietBytes {
		w.worked, w.quiet = true, 0
		return false
	}
	if w.quiet++; !w.worked || w.quiet < quietTicks {
		return false
	}
	w.worked = false
	return now.spare >= worthBytes
}
