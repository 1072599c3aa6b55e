package eventlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// MaxData is the size of the largest message. It is far below what NATS takes:
// thousands of messages may wait in memory.
const MaxData = 256 << 10

// Message is what is published. A message with an ID is stored once, however
// often it is published within the dedupe window.
type Message struct {
	Subject string // EventSubject or WorkSubject
	ID      string
	Data    []byte // of an event: JSON without line breaks, or several, a line for each
}

// RefusedError says that a message cannot be sent, now or later.
type RefusedError struct{ reason string }

func (e *RefusedError) Error() string { return "the message cannot be sent: " + e.reason }

// Check returns a *RefusedError for a message that Publish would refuse.
func (m Message) Check() error {
	if len(m.Data) > MaxData {
		return &RefusedError{fmt.Sprintf("it has %d bytes, and at most %d are taken", len(m.Data), MaxData)}
	}
	if strings.ContainsAny(m.ID, "\r\n") {
		return &RefusedError{fmt.Sprintf("its id %q has a line break", m.ID)}
	}
	if m.Subject == workSubject {
		return nil
	}
	rest, is := strings.CutPrefix(m.Subject, subjectPrefix)
	tokens := strings.Split(rest, ".")
	if !is || len(tokens) != 3 {
		return &RefusedError{fmt.Sprintf("no stream has the subject %q", m.Subject)}
	}
	for _, token := range tokens {
		if token == "" || strings.ContainsAny(token, " \t\r\n*>\x00") {
			return &RefusedError{fmt.Sprintf("no stream has the subject %q", m.Subject)}
		}
	}
	return nil
}

// maxJoined is the size of the largest message of several events.
const maxJoined = 64 << 10

var eventSeparator = []byte("\n")

// Join appends an event to a message, so that the log keeps both as one; false: they are
// too large together, or not of one subject.
func (m *Message) Join(subject string, event []byte) bool {
	if m.Subject != subject || subject == workSubject || len(m.Data)+len(event) >= maxJoined {
		return false
	}
	m.Data = slices.Concat(m.Data, eventSeparator, event)
	return true
}

// Publish stores the messages in order and returns when they all are. Errors: a
// *RefusedError, and then nothing was sent; a *DownError; others, which may pass.
func (l *Log) Publish(ctx context.Context, messages ...Message) error {
	for _, m := range messages {
		if err := m.Check(); err != nil {
			return err
		}
	}
	b, err := l.current()
	if err != nil {
		return err
	}
	err = b.publish(ctx, messages)
	if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		l.report(b, err)
	}
	return err
}

func (b *backend) publish(ctx context.Context, messages []Message) error {
	if b.server == nil {
		return b.publishRemote(ctx, messages)
	}
	futures := make([]jetstream.PubAckFuture, len(messages))
	for i, m := range messages {
		msg := nats.NewMsg(m.Subject)
		msg.Data = m.Data
		var options []jetstream.PublishOpt
		if m.ID != "" {
			options = append(options, jetstream.WithMsgID(m.ID))
		}
		future, err := b.js.PublishMsgAsync(msg, options...)
		if err != nil {
			return fmt.Errorf("publish to %s: %w", m.Subject, err)
		}
		futures[i] = future
	}
	for i, future := range futures {
		select {
		case ack := <-future.Ok():
			if ack.Stream == eventsStream {
				b.saw(ack.Sequence)
			}
		case err := <-future.Err():
			return fmt.Errorf("publish to %s: %w", messages[i].Subject, err)
		case <-b.ctx.Done():
			return fmt.Errorf("publish to %s: %w", messages[i].Subject, ErrReopened)
		case <-ctx.Done():
			return fmt.Errorf("publish to %s: %w", messages[i].Subject, context.Cause(ctx))
		}
	}
	return nil
}

// Stored says which of the message ids are among the newest events of a subject:
// what a sender that died may have sent without noting it. It looks back at most
// depth messages.
func (l *Log) Stored(ctx context.Context, subject string, from uint64, depth int) (map[string]bool, error) {
	b, err := l.current()
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	seq := from
	for range depth {
		msg, err := l.next(ctx, b, seq, subject)
		if err != nil {
			return nil, err
		}
		if msg == nil {
			return ids, nil
		}
		if id := msg.Header.Get(nats.MsgIdHdr); id != "" {
			ids[id] = true
		}
		seq = msg.Sequence + 1
	}
	return ids, nil
}
