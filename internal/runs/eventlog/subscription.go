package eventlog

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// Ends of a subscription.
var (
	ErrSlow   = errors.New("the client reads too slowly: it may resume with its last cursor")
	ErrClosed = errors.New("the event log is closed")
	// ErrReopened: NATS was replaced. Whoever resumes with the last cursor goes on, or
	// learns that the events behind it are gone.
	ErrReopened = errors.New("the event log was opened again: resume with the last cursor")
)

// Event is one stored event.
type Event struct {
	Seq    uint64
	Cursor string
	Data   []byte // one JSON object; shared, not to be changed

	decoded *decoded // nil: of a stored event
}

// decoded is what the first subscriber made of a live event.
type decoded struct {
	once  sync.Once
	value any
	err   error
}

// Decode is decode(e.Data). Of a live event it is made once for all subscribers, who
// share the value; all of them must ask for the same.
func (e Event) Decode(decode func(data []byte) (any, error)) (any, error) {
	if e.decoded == nil {
		return decode(e.Data)
	}
	e.decoded.once.Do(func() { e.decoded.value, e.decoded.err = decode(e.Data) })
	return e.decoded.value, e.decoded.err
}

// Subscription hands out events in order: first those that are stored after its
// cursor, then live ones.
type Subscription struct {
	log     *Log
	backend *backend
	filter  Filter
	next    uint64 // sequence number from which stored events are read
	until   uint64 // stored events are read up to here; then the queue goes on

	mu    sync.Mutex
	queue []Event       // live events that were not handed out; grows as needed
	full  bool          // an event did not fit: nothing behind it may be handed out
	wake  chan struct{} // has an element when there may be something in the queue

	once sync.Once
	err  error
	done chan struct{}
}

// Start says where a subscription begins.
type Start struct {
	Beginning bool   // at the first stored event
	After     string // behind this cursor; ErrUnknownCursor where it is none of ours
	// Neither: at what happens from now on.
}

// ErrUnknownCursor says that a cursor is of another stream, or so old that events
// behind it are gone: the client needs a snapshot.
var ErrUnknownCursor = errors.New("the cursor is too old or unknown")

// Subscribe starts a subscription; Close must be called.
func (l *Log) Subscribe(ctx context.Context, filter Filter, start Start) (*Subscription, error) {
	b, err := l.current()
	if err != nil {
		return nil, err
	}
	sub := &Subscription{log: l, backend: b, filter: filter, wake: make(chan struct{}, 1), done: make(chan struct{})}
	after := uint64(0)
	if start.After != "" {
		seq, ok := b.parseCursor(start.After)
		if !ok || seq > b.last.Load() {
			return nil, ErrUnknownCursor
		}
		if gone, err := b.goneAfter(ctx, seq); err != nil {
			return nil, err
		} else if gone {
			return nil, ErrUnknownCursor
		}
		after = seq
	}
	live := b.hub.add(sub)
	if b.ctx.Err() != nil { // it was closed meanwhile, and the hub has ended its subscribers
		sub.end(ErrReopened)
	}
	sub.until = max(live, after)
	switch {
	case start.Beginning:
		sub.next = 1
	case start.After != "":
		sub.next = after + 1
	default:
		sub.next = live + 1
	}
	return sub, nil
}

// goneAfter says whether events behind a sequence number were already removed.
func (b *backend) goneAfter(ctx context.Context, seq uint64) (bool, error) {
	if seq == b.last.Load() {
		return false, nil
	}
	info, err := b.events.Info(ctx)
	if err != nil {
		return false, fmt.Errorf("look at the stream %s: %w", eventsStream, err)
	}
	return seq+1 < info.State.FirstSeq, nil
}

// Begun is the cursor just before the first event that the subscription will hand out.
func (s *Subscription) Begun() string { return s.backend.cursor(s.next - 1) }

// Live says whether all stored events were handed out: what comes next has not
// happened when the subscription began.
func (s *Subscription) Live() bool { return s.next > s.until }

// Next waits for the next event. It returns ErrSlow, ErrClosed or the end of ctx.
func (s *Subscription) Next(ctx context.Context) (Event, error) {
	if s.next <= s.until {
		msg, err := s.log.next(ctx, s.backend, s.next, s.filter.subject())
		if err != nil {
			return Event{}, err
		}
		if msg != nil && msg.Sequence <= s.until {
			s.next = msg.Sequence + 1
			return Event{Seq: msg.Sequence, Cursor: s.backend.cursor(msg.Sequence), Data: msg.Data}, nil
		}
		s.next = s.until + 1
	}
	for {
		event, err := s.wait(ctx)
		if err != nil {
			return Event{}, err
		}
		if event.Seq < s.next {
			continue // it was handed out as a stored one
		}
		s.next = event.Seq + 1
		event.Cursor = s.backend.cursor(event.Seq)
		return event, nil
	}
}

// wait takes the next live event; what is queued goes before the end.
func (s *Subscription) wait(ctx context.Context) (Event, error) {
	for {
		if event, ok := s.take(); ok {
			return event, nil
		}
		select {
		case <-s.wake:
		case <-s.done:
			if event, ok := s.take(); ok {
				return event, nil
			}
			return Event{}, s.err
		case <-ctx.Done():
			return Event{}, context.Cause(ctx)
		}
	}
}

func (s *Subscription) take() (Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return Event{}, false
	}
	event := s.queue[0]
	s.queue[0] = Event{}
	if s.queue = s.queue[1:]; len(s.queue) == 0 {
		s.queue = nil // thousands of streams are idle most of the time
	}
	return event, true
}

// queued is the number of live events that wait to be handed out.
func (s *Subscription) queued() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}

// offer hands an event over without waiting; a queue that is full ends the
// subscription. The hub's lock is held.
func (s *Subscription) offer(event Event) {
	s.mu.Lock()
	s.full = s.full || len(s.queue) >= s.backend.hub.buffer
	full := s.full
	if !full {
		s.queue = append(s.queue, event)
	}
	s.mu.Unlock()
	if full {
		s.end(ErrSlow)
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Subscription) end(why error) {
	s.once.Do(func() {
		s.err = why
		close(s.done)
	})
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.backend.hub.remove(s)
	s.end(ErrClosed)
}

// next reads the first stored event of a subject at or behind a sequence number,
// or nil.
func (l *Log) next(ctx context.Context, b *backend, seq uint64, subject string) (*jetstream.RawStreamMsg, error) {
	msg, err := b.events.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(subject))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if b.ctx.Err() != nil {
		return nil, ErrReopened
	}
	if err != nil {
		if ctx.Err() == nil {
			l.report(b, fmt.Errorf("%w: %w", errDamaged, err))
		}
		return nil, fmt.Errorf("read stored events: %w", err)
	}
	return msg, nil
}

// HasAfter says whether events of the filter are stored that the subscription has
// not handed out yet.
func (l *Log) HasAfter(ctx context.Context, filter Filter, sub *Subscription) (bool, error) {
	msg, err := l.next(ctx, sub.backend, sub.next, filter.subject())
	return msg != nil, err
}
