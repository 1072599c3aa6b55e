package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/retry"
	"nanoclaw/internal/llm/tokens"
)

// exchange is one Stream: langchaingo's call, and the tries beneath it.
type exchange struct {
	model *Model
	req   llm.Request
	yield func(llm.Event, error) bool

	begun  bool // the consumer has an event: no other try may follow
	left   bool // the consumer has left
	answer answer
	err    error // langchaingo rewrites errors; this is the one that counts
}

// errLeft ends a try because the consumer left the loop.
var errLeft = errors.New("the consumer left")

type exchangeKey struct{}

// doer carries langchaingo's request to the exchange that it belongs to.
type doer struct{ model *Model }

func (d doer) Do(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errors.New("a request that belongs to no exchange")
	}
	return x.do(req)
}

// run makes the call and returns the whole answer.
func (x *exchange) run(ctx context.Context) (*llm.Response, error) {
	m := x.model
	if m.broken != nil {
		return nil, m.broken
	}
	x.req.Messages = showResultImages(sendable(x.req.Messages))
	messages, options := m.compose(x.req)
	result, err := m.client.GenerateContent(context.WithValue(ctx, exchangeKey{}, x), messages, options...)
	switch {
	case x.err != nil:
		return nil, x.err
	case err != nil:
		return nil, &llm.Error{Code: llm.CodeInvalidRequest, Message: "compose the request: " + err.Error(), Err: err}
	}
	return x.response(result.Choices[0]), nil
}

// sendable leaves out assistant messages with nothing in them, which providers refuse.
func sendable(messages []llm.Message) []llm.Message {
	empty := func(m llm.Message) bool {
		return m.Role == llm.RoleAssistant && strings.TrimSpace(m.Text) == "" && len(m.ToolCalls) == 0
	}
	var kept []llm.Message
	for i, m := range messages {
		switch {
		case empty(m) && kept == nil:
			kept = append(make([]llm.Message, 0, len(messages)), messages[:i]...)
		case !empty(m) && kept != nil:
			kept = append(kept, m)
		}
	}
	if kept == nil {
		return messages
	}
	return kept
}

// response is langchaingo's answer with what only the exchange knows of it.
func (x *exchange) response(choice *llms.ContentChoice) *llm.Response {
	resp := &llm.Response{
		Text: choice.Content, Reasoning: choice.ReasoningContent, FinishReason: choice.StopReason,
		Opaque: x.answer.opaque(),
	}
	for _, call := range choice.ToolCalls {
		resp.ToolCalls = append(resp.ToolCalls, llm.ToolCall{ID: call.ID, Name: call.FunctionCall.Name,
			Arguments: call.FunctionCall.Arguments})
	}
	resp.Usage = x.answer.usage
	if resp.Usage.TotalTokens == 0 {
		resp.Usage = tokens.Usage(x.req, *resp)
	}
	return resp
}

// do answers langchaingo's request: it tries until an answer is whole, an event
// has gone out, or trying again makes no sense.
func (x *exchange) do(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, fmt.Errorf("read the composed request: %w", err)
	}
	for tries := 0; ; {
		used := quirk(x.model.quirks.Load())
		payload, sent, err := x.model.payload(body, x.req, used)
		if err != nil {
			return nil, err
		}
		err = x.try(ctx, payload)
		if err == nil {
			return x.answer.asResponse(req)
		}
		x.err = err
		var refused *refusedError
		if errors.As(err, &refused) && x.model.learn(refusal(refused.status, refused.body, sent), used) {
			continue
		}
		if x.begun || x.left || !x.model.retrier(x.retry).Again(ctx, err, tries) {
			return nil, err
		}
		tries++
	}
}

// try sends the request once and reads the answer to its end.
func (x *exchange) try(ctx context.Context, payload []byte) error {
	x.err = nil
	watch := retry.WatchIdle(ctx, x.model.opts.IdleTimeout)
	defer watch.Stop()
	req, err := x.model.newRequest(watch.Context(), payload)
	if err != nil {
		return err
	}
	watch.Start()
	resp, err := x.model.opts.HTTPClient.Do(req)
	watch.Pause()
	if err != nil {
		return x.model.unreachable(err, watch.Fired())
	}
	defer resp.Body.Close()
	body := watch.Reader(resp.Body)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return x.refused(resp, body)
	}
	x.answer = newAnswer(x.emit)
	return x.read(watch, body)
}

// emit hands an event to the consumer and reports whether it stays.
func (x *exchange) emit(event llm.Event) bool {
	x.begun = true
	x.left = !x.yield(event, nil)
	return !x.left
}

// retry tells the consumer of a wait and reports whether it stays.
func (x *exchange) retry(retry llm.Retry) bool {
	retry.Reason, _ = x.model.typed(retry.Reason).(*llm.Error)
	x.left = !x.yield(llm.Event{Kind: llm.EventRetry, Retry: &retry}, nil)
	return !x.left
}

// maxErrorBody is how much of an error answer is read, in bytes.
const maxErrorBody = 64 << 10

// refusedError is an error answer with its body, from which a quirk can be learned.
type refusedError struct {
	typed  *llm.Error
	status int
	body   []byte
}

func (e *refusedError) Error() string { return e.typed.Error() }
func (e *refusedError) Unwrap() error { return e.typed }

func (x *exchange) refused(resp *http.Response, body io.Reader) error {
	// What can be read of the body is enough, also where its end is missing.
	text, _ := io.ReadAll(io.LimitReader(body, maxErrorBody))
	return &refusedError{
		typed:  x.model.classify(resp.StatusCode, resp.Header, text),
		status: resp.StatusCode, body: bytes.Clone(text),
	}
}
