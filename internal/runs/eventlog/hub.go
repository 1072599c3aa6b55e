package eventlog

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// silence is how often a server elsewhere says that there are no events.
const silence = time.Second

// hub is the one live subscription of the process; it hands each event to the
// subscribers whose key is in its subject.
type hub struct {
	backend *backend
	buffer  int
	consume jetstream.ConsumeContext

	mu   sync.RWMutex
	subs map[string]map[*Subscription]struct{}
	seq  uint64 // of the last event that was handed out
}

func newHub(ctx context.Context, b *backend, buffer int) (*hub, error) {
	h := &hub{backend: b, buffer: buffer, subs: map[string]map[*Subscription]struct{}{}, seq: b.last.Load()}
	consumer, err := b.events.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: h.seq + 1,
	})
	if err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", eventsStream, err)
	}
	var options []jetstream.PullConsumeOpt
	if b.server == nil { // a server that dies is noticed by its silence
		options = append(options, jetstream.PullExpiry(silence*5), jetstream.PullHeartbeat(silence))
	}
	h.consume, err = consumer.Consume(h.handle, options...)
	if err != nil {
		return nil, fmt.Errorf("consume %s: %w", eventsStream, err)
	}
	return h, nil
}

func (h *hub) handle(msg jetstream.Msg) {
	meta, err := msg.Metadata()
	if err != nil {
		h.backend.options.Logger.Error("an event without metadata", "error", err)
		return
	}
	events := eventsOf(meta.Sequence.Stream, msg.Data())
	for i := range events {
		events[i].decoded = &decoded{}
	}
	user, conversation, run := keys(strings.TrimPrefix(msg.Subject(), h.backend.subjects))

	h.mu.Lock()
	defer h.mu.Unlock()
	h.seq = meta.Sequence.Stream
	h.backend.saw(h.seq)
	for _, key := range [...]string{user, conversation, run, ""} {
		for sub := range h.subs[key] {
			for _, event := range events {
				sub.offer(event)
			}
		}
	}
}

// add makes a subscription live and returns the number of the last event that it
// will not be handed.
func (h *hub) add(sub *Subscription) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, key := range sub.filter.keys() {
		if h.subs[key] == nil {
			h.subs[key] = map[*Subscription]struct{}{}
		}
		h.subs[key][sub] = struct{}{}
	}
	return h.seq
}

// at is the number of the last event that was handed out.
func (h *hub) at() uint64 {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.seq
}

func (h *hub) remove(sub *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, key := range sub.filter.keys() {
		delete(h.subs[key], sub)
		if len(h.subs[key]) == 0 {
			delete(h.subs, key)
		}
	}
}

func (h *hub) close(why error) {
	h.consume.Stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, subs := range h.subs {
		for sub := range subs {
			sub.end(why)
		}
	}
}
