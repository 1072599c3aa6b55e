package eventlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

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

// Event is one stored event. A message of the log holds one or more, a line for each.
type Event struct {
	Seq    uint64 // of its message
	Cursor string
	Data   []byte // one JSON object; shared, not to be changed

	index   int      // among the events of its message
	last    bool     // of its message
	decoded *decoded // nil: of a stored event
}

// eventsOf are the events of a message.
func eventsOf(seq uint64, data []byte) []Event {
	events := make([]Event, 0, 1)
	for last := false; !last; {
		line, rest, more := bytes.Cut(data, eventSeparator)
		last = !more
		events = append(events, Event{Seq: seq, Data: line, index: len(events), last: last})
		data = rest
	}
	return events
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
	next    place
	until   uint64  // stored messages are read up to here; then the queue goes on
	stored  []Event // of the message that was read last

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
	after := place{seq: 1}
	if start.After != "" {
		at, ok := b.parseCursor(start.After)
		if !ok {
			return nil, ErrUnknownCursor
		}
		if known, err := b.knows(ctx, at); err != nil {
			return nil, err
		} else if !known {
			return nil, ErrUnknownCursor
		}
		after = at
	}
	live := b.hub.add(sub)
	if b.ctx.Err() != nil { // it was closed meanwhile, and the hub has ended its subscribers
		sub.end(ErrReopened)
	}
	sub.next, sub.until = after, live
	if after.skip > 0 {
		sub.until = max(live, after.seq)
	}
	if !start.Beginning && start.After == "" {
		sub.next = place{seq: live + 1}
	}
	return sub, nil
}

// behindFor is for how long a place is waited for that servers elsewhere do not have: the one
// that leads after an election may still be reading what the one before it has stored.
const behindFor = 3 * time.Second

// knows says whether the stream has been at a place, and still has all events behind it.
// Another process may have given a client events that this one has not received yet.
func (b *backend) knows(ctx context.Context, at place) (bool, error) {
	if at.skip == 0 && at.seq == b.last.Load()+1 {
		return true, nil
	}
	for began := time.Now(); ; {
		info, err := b.events.Info(ctx)
		if err != nil {
			return false, b.away(fmt.Errorf("look at the stream %s: %w", b.eventsName(), err))
		}
		end := info.State.LastSeq
		if at.skip == 0 {
			end++
		}
		if at.seq <= end || b.server != nil || time.Since(began) > behindFor {
			return at.seq >= info.State.FirstSeq && at.seq <= end, nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// Begun is the cursor just before the next event that the subscription will hand out.
func (s *Subscription) Begun() string { return s.backend.cursor(s.next) }

// Live says whether all stored events were handed out: what comes next has not
// happened when the subscription began.
func (s *Subscription) Live() bool { return len(s.stored) == 0 && s.next.seq > s.until }

// Next waits for the next event. It returns ErrSlow, ErrClosed or the end of ctx.
func (s *Subscription) Next(ctx context.Context) (Event, error) {
	for !s.Live() {
		if len(s.stored) > 0 {
			event := s.stored[0]
			s.stored = s.stored[1:]
			if !s.next.after(event) {
				return s.handOut(event), nil
			}
			continue
		}
		msg, err := s.log.next(ctx, s.backend, s.next.seq, s.filter.subject())
		if err != nil {
			return Event{}, err
		}
		if msg == nil || msg.Sequence > s.until {
			s.next = place{seq: s.until + 1}
			break
		}
		if !s.filter.passes(strings.TrimPrefix(msg.Subject, s.backend.subjects)) {
			s.next = place{seq: msg.Sequence + 1}
			continue
		}
		s.stored = eventsOf(msg.Sequence, msg.Data)
		if s.next.seq == msg.Sequence && s.next.skip >= len(s.stored) {
			s.next = place{seq: msg.Sequence + 1} // no cursor of ours: there are fewer events
			s.stored = nil
		}
	}
	for {
		event, err := s.wait(ctx)
		if err != nil {
			return Event{}, err
		}
		if !s.next.after(event) { // else it was handed out as a stored one
			return s.handOut(event), nil
		}
	}
}

func (s *Subscription) handOut(event Event) Event {
	s.next = behind(event)
	event.Cursor = s.backend.cursor(s.next)
	return event
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
	msg, err := b.events.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(b.subjects+subject))
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
		return nil, b.away(fmt.Errorf("read stored events: %w", err))
	}
	return msg, nil
}

// HasAfter says whether events of the filter are stored that the subscription has
// not handed out yet.
func (l *Log) HasAfter(ctx context.Context, filter Filter, sub *Subscription) (bool, error) {
	msg, err := l.next(ctx, sub.backend, sub.next.seq, filter.subject())
	return msg != nil, err
}
