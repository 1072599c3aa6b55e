package anthropic

import (
	"context"
	"errors"
	"net/http"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/retry"
	"nanoclaw/internal/llm/tokens"
)

// maxLessons is how many refusals of parameters one call answers with another form.
const maxLessons = 5

// drainTime is how long the end of a body is waited for after the answer's.
const drainTime = 100 * time.Millisecond

// errLeft ends a try because the consumer left the loop.
var errLeft = errors.New("the consumer left")

// exchange is one Stream: one or more tries.
type exchange struct {
	model *Model
	req   llm.Request
	yield func(llm.Event, error) bool

	begun  bool // the consumer has an event: no other try may follow
	left   bool // the consumer has left
	forget bool // thinking of earlier turns is not replayed: it was refused
}

// run makes the call and returns the whole answer.
func (x *exchange) run(ctx context.Context) (*llm.Response, error) {
	m := x.model
	if m.broken != nil {
		return nil, m.broken
	}
	for tries, lessons := 0, 0; ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		known := m.known()
		params, names, sent, err := m.compose(x.req, known, x.forget)
		if err != nil {
			return nil, err
		}
		resp, err := x.try(ctx, params, names)
		switch {
		case err == nil:
			return resp, nil
		case !x.forget && x.historyRefused(err):
			x.forget = true
		case lessons < maxLessons && m.learns(err, known, sent):
			lessons++
		case !x.begun && !x.left && m.retrier(x.retry).Again(ctx, err, tries):
			tries++
		default:
			return nil, err
		}
	}
}

func (x *exchange) historyRefused(err error) bool {
	var failed *llm.Error
	if !errors.As(err, &failed) || failed.Status != http.StatusBadRequest || !refusesHistory(failed.Message) {
		return false
	}
	x.model.opts.Logger.Warn("the provider refused thinking of an earlier turn: the request is made again without it",
		"model", x.model.info.ID)
	return true
}

// learns remembers a parameter that was refused; false: nothing to be learnt.
func (m *Model) learns(err error, known shape, sent sentParameters) bool {
	var failed *llm.Error
	if !errors.As(err, &failed) || failed.Status != http.StatusBadRequest {
		return false
	}
	next, learnt := known.learn(failed.Message, sent)
	if !learnt {
		return false
	}
	m.opts.Logger.Info("the provider refused a parameter: the request is made again without it",
		"model", m.info.ID, "refusal", m.cover(failed.Message))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shape = m.shape.merge(next)
	return true
}

// try makes the request once.
func (x *exchange) try(ctx context.Context, params sdk.MessageNewParams, names toolNames) (*llm.Response, error) {
	m := x.model
	watch := retry.WatchIdle(ctx, m.opts.IdleTimeout)
	defer watch.Stop()
	stream := m.messages.NewStreaming(watch.Context(), params)
	if stream.Err() == nil {
		defer func() { _ = stream.Close() }() // the answer is whole, or its error is reported
	}
	a := answer{names: names, emit: x.emit}
	for stream.Next() {
		if err := a.take(stream.Current()); err != nil {
			return nil, err
		}
		if a.stopped {
			watch.Within(drainTime)
			for stream.Next() { // only for the connection's sake: read to its end it can be used again
			}
			break
		}
	}
	if err := stream.Err(); err != nil && !a.complete() {
		if watch.Fired() {
			return nil, retry.Silent(m.endpoint.Host, m.opts.IdleTimeout, x.begun)
		}
		return nil, m.classify(err, x.begun)
	}
	if !a.complete() {
		return nil, retry.Unfinished(m.endpoint.Host, "stop_reason")
	}
	resp := a.response(m.info.Model)
	if resp.Usage.TotalTokens == 0 {
		resp.Usage = tokens.Usage(x.req, *resp)
	}
	return resp, nil
}

func (x *exchange) emit(event llm.Event) error {
	x.begun = true
	if !x.yield(event, nil) {
		x.left = true
		return errLeft
	}
	return nil
}

// retry tells the consumer of a wait and reports whether it stays.
func (x *exchange) retry(retry llm.Retry) bool {
	retry.Reason, _ = x.model.typed(retry.Reason).(*llm.Error)
	x.left = !x.yield(llm.Event{Kind: llm.EventRetry, Retry: &retry}, nil)
	return !x.left
}
