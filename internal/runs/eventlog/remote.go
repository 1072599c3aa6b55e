package eventlog

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

const (
	// storeTimeout is how long one attempt to store a message may take, and
	// publishTimeout all of them: a cluster elects a new leader within 10 s.
	storeTimeout   = 2 * time.Second
	publishTimeout = 20 * time.Second
)

// errStale says that the streams at the servers are others than those that were opened.
var errStale = errors.New("the streams were made anew")

// publishRemote stores the messages one behind the other: while a cluster elects a
// leader some attempts fail, and a later message must not overtake an earlier one. A
// message without an id gets one, so that an attempt whose answer was lost is not
// stored twice.
func (b *backend) publishRemote(ctx context.Context, messages []Message) error {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	for _, m := range messages {
		if m.ID == "" {
			m.ID = nuid.Next()
		}
		if err := b.storeRemote(ctx, m); err != nil {
			return fmt.Errorf("publish to %s: %w", m.Subject, err)
		}
	}
	return nil
}

func (b *backend) storeRemote(ctx context.Context, m Message) error {
	for {
		msg := nats.NewMsg(b.subjects + m.Subject)
		msg.Data = m.Data
		attempt, cancel := context.WithTimeout(ctx, storeTimeout)
		ack, err := b.js.PublishMsg(attempt, msg, jetstream.WithMsgID(m.ID), jetstream.WithRetryAttempts(0))
		cancel()
		if err == nil {
			if ack.Stream == b.eventsName() {
				b.saw(ack.Sequence)
			}
			return nil
		}
		select {
		case <-time.After(serversRetry):
		case <-b.ctx.Done():
			return ErrReopened
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return context.Cause(ctx)
			}
			return &DownError{cause: err}
		}
	}
}

// checkRemote asks both streams for an answer. errStale and a closed connection call
// for another backend; what else fails passes when the servers are back.
func (b *backend) checkRemote(ctx context.Context) error {
	if !b.conn.IsConnected() {
		return fmt.Errorf("no connection to NATS at %s: %w", b.options.Servers.where(),
			firstError(b.conn.LastError(), nats.ErrNoServers))
	}
	info, err := b.events.Info(ctx)
	if err != nil {
		return fmt.Errorf("reach the stream %s: %w", b.eventsName(), err)
	}
	if epochOf(info) != b.epoch {
		return errStale
	}
	if b.working.Load() {
		_, err = b.work.Consumer(ctx, workers)
	} else {
		_, err = b.work.Info(ctx)
	}
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) { // a worker makes its consumer again by itself
		return fmt.Errorf("reach the stream %s: %w", b.workName(), err)
	}
	if at := b.hub.at(); b.lag.tooLong(at, info.State.LastSeq) {
		return fmt.Errorf("%w: events behind %d do not arrive", errStale, at)
	}
	return nil
}

// longestLag is after how long without an event, although one is stored, the live
// subscription counts as lost.
const longestLag = 15 * time.Second

// lag notices a live subscription that stands still.
type lag struct {
	mu    sync.Mutex
	at    uint64    // where it stands
	since time.Time // since when there was more; zero: there was none
}

func (l *lag) tooLong(at, stored uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case at >= stored:
		l.since = time.Time{}
	case l.since.IsZero() || at != l.at:
		l.since = time.Now()
	}
	l.at = at
	return !l.since.IsZero() && time.Since(l.since) > longestLag
}

// needsAnother says whether only another backend can help: else the connection
// repairs itself, and ending its subscriptions would only disturb clients.
func needsAnother(err error) bool {
	return errors.Is(err, errStale) || errors.Is(err, jetstream.ErrStreamNotFound) ||
		errors.Is(err, nats.ErrConnectionClosed) || errors.As(err, new(*DownError))
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// away is an error of asking servers elsewhere: they are waited for.
func (b *backend) away(err error) error {
	if b.server != nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &DownError{cause: err}
}
