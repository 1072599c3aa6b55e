package eventlog

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Message is what is published. A message with an ID is stored once, however
// often it is published within the dedupe window.
type Message struct {
	Subject string // EventSubject or WorkSubject
	ID      string
	Data    []byte
}

// Publish stores the messages in order and returns when they all are.
func (l *Log) Publish(ctx context.Context, messages ...Message) error {
	futures := make([]jetstream.PubAckFuture, len(messages))
	for i, m := range messages {
		msg := nats.NewMsg(m.Subject)
		msg.Data = m.Data
		var options []jetstream.PublishOpt
		if m.ID != "" {
			options = append(options, jetstream.WithMsgID(m.ID))
		}
		future, err := l.js.PublishMsgAsync(msg, options...)
		if err != nil {
			return fmt.Errorf("publish to %s: %w", m.Subject, err)
		}
		futures[i] = future
	}
	for i, future := range futures {
		select {
		case ack := <-future.Ok():
			if ack.Stream == eventsStream {
				l.saw(ack.Sequence)
			}
		case err := <-future.Err():
			return fmt.Errorf("publish to %s: %w", messages[i].Subject, err)
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
	ids := map[string]bool{}
	seq := from
	for range depth {
		msg, err := l.next(ctx, seq, subject)
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
