package eventlog

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Options say where NATS runs.
type Options struct {
	Dir string // of the streams of a server in this process
	// Servers are elsewhere; nil: NATS runs in this process.
	Servers *Servers
	MaxAge  time.Duration // how long events are kept; 0: for ever
	Buffer  int           // events that wait for one subscriber before it is too slow; 0: 512
	Check   time.Duration // how often NATS is examined; 0: every 2 s
	Logger  *slog.Logger

	notices *notices // of the Log
}

// Log is an event log that repairs itself: a supervisor replaces a NATS backend
// that no longer works. It is safe for concurrent use.
type Log struct {
	options Options
	logger  *slog.Logger
	notices *notices
	stop    context.CancelFunc
	done    chan struct{} // closed when the supervisor has returned
	suspect chan suspicion
	reopens atomic.Int64

	mu       sync.RWMutex
	backend  *backend      // nil: there is none at present
	why      error         // why there is none
	changed  chan struct{} // closed when the backend changes
	onReopen func()
}

// Open starts NATS where none is given, and makes the streams. A damaged folder is
// made anew. On a full disk it returns a log that begins to work once there is room.
func Open(ctx context.Context, o Options) (*Log, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Buffer <= 0 {
		o.Buffer = 512
	}
	if o.Check <= 0 {
		o.Check = 2 * time.Second
	}
	o.notices = &notices{}
	l := &Log{options: o, logger: o.Logger, notices: o.notices, done: make(chan struct{}), suspect: make(chan suspicion, 1),
		changed: make(chan struct{})}
	b, err := l.open(ctx)
	if err != nil && !noSpace(o, err) {
		return nil, err
	}
	l.backend, l.why = b, err
	supervising, stop := context.WithCancel(context.Background())
	l.stop = stop
	go l.supervise(supervising)
	return l, nil
}

// open opens the streams, and makes the folder anew where it cannot be used: the
// database holds what is true.
func (l *Log) open(ctx context.Context) (*backend, error) {
	b, err := openBackend(ctx, l.options)
	if err == nil || l.options.Servers != nil || ctx.Err() != nil || noSpace(l.options, err) {
		return b, err
	}
	if wiped := l.wipe(err); wiped != nil {
		return nil, wiped
	}
	return openBackend(ctx, l.options)
}

// wipe deletes the streams of a server in this process.
func (l *Log) wipe(cause error) error {
	l.logger.Error("the event log is damaged and is made anew: past events cannot be replayed", "error", cause)
	if err := os.RemoveAll(filepath.Join(l.options.Dir, "jetstream")); err != nil {
		return fmt.Errorf("delete the damaged event log: %w", err)
	}
	return nil
}

// OnReopen sets what is called after NATS was replaced: work messages are gone.
func (l *Log) OnReopen(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onReopen = fn
}

// Reopened is how often NATS was replaced since Open.
func (l *Log) Reopened() int64 { return l.reopens.Load() }

// Messages is how many messages were exchanged with the present backend; 0 while NATS
// is down.
func (l *Log) Messages() uint64 {
	b, err := l.current()
	if err != nil {
		return 0
	}
	stats := b.conn.Stats()
	return stats.InMsgs + stats.OutMsgs
}

// current is the backend that works, or a *DownError.
func (l *Log) current() (*backend, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.backend == nil {
		return nil, &DownError{Full: noSpace(l.options, l.why), cause: l.why}
	}
	return l.backend, nil
}

// await waits for a backend that works; nil: ctx has ended.
func (l *Log) await(ctx context.Context) *backend {
	for {
		l.mu.RLock()
		b, changed := l.backend, l.changed
		l.mu.RUnlock()
		if b != nil {
			return b
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// Cursor is the place of the newest event that was published or seen here; empty
// while NATS is down.
func (l *Log) Cursor() string {
	b, err := l.current()
	if err != nil {
		return ""
	}
	return b.cursor(place{seq: b.last.Load() + 1})
}

// Identity is what all processes have in common that use the same event log, and no
// others; empty while NATS is down.
func (l *Log) Identity() string {
	b, err := l.current()
	if err != nil {
		return ""
	}
	return b.eventsName() + "@" + b.epoch
}

// Ready asks NATS for an answer, and says why events cannot be stored.
func (l *Log) Ready(ctx context.Context) error {
	b, err := l.current()
	if err != nil {
		return err
	}
	return b.check(ctx)
}

// Subscribed says why no work is taken from the present backend.
func (l *Log) Subscribed() error {
	b, err := l.current()
	if err != nil {
		return err
	}
	if !b.working.Load() {
		return fmt.Errorf("no worker is subscribed to %s", workStream)
	}
	return nil
}

// Close ends all subscriptions and stops NATS where it runs in this process.
func (l *Log) Close() {
	l.stop()
	<-l.done
	l.mu.Lock()
	b := l.backend
	l.backend, l.why = nil, ErrClosed
	l.mu.Unlock()
	if b != nil {
		b.close(ErrClosed)
	}
}
