package eventlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Job is one work message. Done must be called once it is known in the database
// who does the work; a job that is not done comes again, here or elsewhere.
type Job struct {
	Data []byte
	Done func()
}

// workers is the consumer of work messages.
const workers = "workers"

// Work hands out work messages, one at a time, until ctx ends. acquire waits for
// a free worker and returns what frees it again, or nil when ctx has ended;
// handle takes the message and frees the worker when it is done with it. retry is
// after how long a job that was not Done comes again.
func (l *Log) Work(ctx context.Context, retry time.Duration,
	acquire func(context.Context) (release func()), handle func(job Job, release func())) {
	for {
		b := l.await(ctx)
		if b == nil {
			return
		}
		if err := l.workOn(ctx, b, retry, acquire, handle); err != nil {
			l.report(b, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-b.ctx.Done():
		case <-time.After(time.Second): // the report was not followed
		}
	}
}

// workOn hands out the messages of one backend.
func (l *Log) workOn(ctx context.Context, b *backend, retry time.Duration,
	acquire func(context.Context) (release func()), handle func(job Job, release func())) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.ctx, cancel)()
	consumer, err := b.work.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: workers, AckPolicy: jetstream.AckExplicitPolicy, AckWait: retry, MaxAckPending: 4096,
	})
	if err != nil {
		return fmt.Errorf("subscribe to %s: %w", workStream, err)
	}
	b.working.Store(true)
	defer b.working.Store(false)
	for {
		release := acquire(ctx)
		if release == nil {
			return nil
		}
		// One request for each message: an iterator that asks ahead was seen to wait
		// for a message that it had not asked for.
		msg, err := consumer.Next(jetstream.FetchContext(ctx))
		if err != nil {
			release()
			if ctx.Err() != nil {
				return nil
			}
			if !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, jetstream.ErrNoMessages) {
				return fmt.Errorf("wait for a work message: %w", err)
			}
			continue
		}
		handle(Job{Data: msg.Data(), Done: func() {
			if err := msg.Ack(); err != nil {
				l.logger.Warn("a work message could not be acknowledged and will come again", "error", err)
			}
		}}, release)
	}
}
