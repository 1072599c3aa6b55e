package retry

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

var errIdle = errors.New("no byte for the idle time")

// Watch cancels a try when the provider is silent for too long. Only time spent
// waiting for the provider counts, not what the consumer does with events. It is
// used by one goroutine.
type Watch struct {
	ctx    context.Context // of the try
	cancel context.CancelCauseFunc
	timer  *time.Timer
	whole  *time.Timer   // see Within
	after  time.Duration // negative: never
	fired  atomic.Bool
}

type watchKey struct{}

// WatchIdle watches a try; a negative time never ends it. Stop must be called.
func WatchIdle(parent context.Context, after time.Duration) *Watch {
	w := &Watch{after: after}
	ctx, cancel := context.WithCancelCause(parent)
	w.ctx, w.cancel = context.WithValue(ctx, watchKey{}, w), cancel
	return w
}

// WatchOf is the watch to whose Context ctx belongs, or nil.
func WatchOf(ctx context.Context) *Watch {
	w, _ := ctx.Value(watchKey{}).(*Watch)
	return w
}

// Context is the try's: it ends with the watch.
func (w *Watch) Context() context.Context { return w.ctx }

// Limit sets how long the next waits may be.
func (w *Watch) Limit(after time.Duration) { w.after = after }

// Start begins a wait for the provider.
func (w *Watch) Start() {
	switch {
	case w.after < 0:
	case w.timer == nil:
		w.timer = time.AfterFunc(w.after, func() {
			w.fired.Store(true)
			w.cancel(errIdle)
		})
	default:
		w.timer.Reset(w.after)
	}
}

// Pause ends a wait.
func (w *Watch) Pause() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// Within gives the rest of the try this long in all, whatever comes.
func (w *Watch) Within(d time.Duration) {
	w.Pause()
	w.after = -1
	w.whole = time.AfterFunc(d, func() { w.cancel(errIdle) })
}

// Fired reports whether the provider was silent for too long.
func (w *Watch) Fired() bool { return w.fired.Load() }

// Stop ends the try's context and releases the timers.
func (w *Watch) Stop() {
	w.Pause()
	if w.whole != nil {
		w.whole.Stop()
	}
	w.cancel(context.Canceled)
}

// Reader watches the reads of a body.
func (w *Watch) Reader(body io.Reader) io.Reader { return &reader{w, body} }

type reader struct {
	watch *Watch
	body  io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	r.watch.Start()
	n, err := r.body.Read(p)
	r.watch.Pause()
	return n, err
}
