package eventlog

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// checkTime is how long one examination of NATS may take.
const checkTime = 5 * time.Second

// suspicion says that a backend failed at work.
type suspicion struct {
	backend *backend
	cause   error
}

// DownError says that NATS does not work at present. The supervisor tries again by itself.
type DownError struct {
	Full  bool // the disk is full
	cause error
}

func (e *DownError) Error() string {
	if e.Full {
		return "the event log's disk is full: make room on it, then work continues by itself"
	}
	return fmt.Sprintf("the event log does not work and is being repaired: %v", e.cause)
}

// ErrorCode is the code that clients see.
func (e *DownError) ErrorCode() string {
	if e.Full {
		return "storage_full"
	}
	return "unavailable"
}

// Unwrap is why NATS is down.
func (e *DownError) Unwrap() error { return e.cause }

// report tells the supervisor that a backend failed at work. It does not wait.
func (l *Log) report(b *backend, cause error) {
	select {
	case l.suspect <- suspicion{b, cause}:
	default: // it is busy with an earlier one
	}
}

// supervise replaces a backend that does not work, until ctx ends.
func (l *Log) supervise(ctx context.Context) {
	defer close(l.done)
	tick := time.NewTicker(l.options.Check)
	defer tick.Stop()
	failures := 0
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-l.suspect:
			if l.options.Servers != nil {
				break // that they failed once says little: they are examined
			}
			if b, err := l.current(); err == nil && b == s.backend {
				l.replace(ctx, s.cause)
			}
			continue
		case <-tick.C:
		}
		err := l.examine(ctx)
		failures++
		switch {
		case err == nil:
			failures = 0
		case ctx.Err() != nil:
			return
		case l.options.Servers != nil && !needsAnother(err):
			if failures == 1 {
				l.logger.Warn("NATS does not work at present and is waited for", "error", err)
			}
		case failures < 2 && errors.Is(err, context.DeadlineExceeded): // the machine may only be busy
		default:
			l.replace(ctx, err)
		}
	}
}

func (l *Log) examine(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	b, err := l.current()
	if err != nil {
		return err
	}
	return b.check(ctx)
}

// replace closes the backend and opens another one. While the disk is full there
// is none: what NATS failed to write once it never writes again.
func (l *Log) replace(ctx context.Context, cause error) {
	l.mu.Lock()
	old := l.backend
	l.backend = nil
	if old != nil {
		l.why = cause
	}
	l.mu.Unlock()
	if old != nil {
		l.logger.Error("the event log does not work and is opened again", "error", cause)
		old.close(ErrReopened)
	}
	if full := diskFull(l.options); full != nil {
		l.down(full)
		return
	}
	if l.options.Servers == nil && errors.Is(cause, errDamaged) {
		if err := l.wipe(cause); err != nil {
			l.down(err)
			return
		}
	}
	b, err := l.open(ctx)
	if err != nil {
		l.down(err)
		return
	}
	l.mu.Lock()
	l.backend, l.why = b, nil
	close(l.changed)
	l.changed = make(chan struct{})
	reopened := l.onReopen
	l.mu.Unlock()
	l.reopens.Add(1)
	l.logger.Info("the event log works again")
	if reopened != nil {
		reopened()
	}
}

func (l *Log) down(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.why = why
}
