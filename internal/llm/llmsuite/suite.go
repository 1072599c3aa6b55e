// Package llmsuite is the conformance suite of llm.Model: what the rest of the
// house relies on, checked against every provider.
package llmsuite

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"nanoclaw/internal/llm"
)

// Provider says how to get a provider into each situation. A function that is nil
// is a situation that the provider cannot be in, and is not checked; Text is never nil.
type Provider struct {
	// Text is a request that is answered with some text in several pieces, and
	// perhaps reasoning before it.
	Text func(t *testing.T) (llm.Model, llm.Request)

	// Calls is a request that is answered with these tool calls; ids are not compared.
	Calls func(t *testing.T) (llm.Model, llm.Request, []llm.ToolCall)

	// Stuck is a request whose answer begins with some text and then stops coming,
	// and a function that waits until the provider's side has seen the caller leave.
	Stuck func(t *testing.T) (llm.Model, llm.Request, func(t *testing.T))

	// Failures are requests that fail, by the code that their error must have.
	Failures map[string]func(t *testing.T) (llm.Model, llm.Request)
}

// Run checks a provider.
func Run(t *testing.T, p Provider) {
	t.Run("a text arrives in pieces and ends with one done", func(t *testing.T) { t.Parallel(); checkText(t, p) })
	t.Run("a context that is over at the start gives its error", func(t *testing.T) {
		t.Parallel()
		checkDeadContext(t,
			p)
	})
	t.Run("leaving at the first event ends the stream", func(t *testing.T) { t.Parallel(); checkEarlyBreak(t, p) })
	t.Run("many streams at once do not mix", func(t *testing.T) { t.Parallel(); checkConcurrent(t, p) })
	if p.Calls != nil {
		t.Run("tool calls arrive whole and as pieces", func(t *testing.T) { t.Parallel(); checkCalls(t, p) })
	}
	if p.Stuck != nil {
		t.Run("cancelling in mid-stream gives the context's error", func(t *testing.T) {
			t.Parallel()
			checkCancel(t,
				p)
		})
		t.Run("a deadline in mid-stream gives the context's error", func(t *testing.T) {
			t.Parallel()
			checkDeadline(t,
				p)
		})
		t.Run("leaving in mid-stream ends the request", func(t *testing.T) { t.Parallel(); checkLeave(t, p) })
	}
	for code, failure := range p.Failures {
		t.Run("a failure has the code "+code, func(t *testing.T) { t.Parallel(); checkFailure(t, code, failure) })
	}
}

// Outcome is everything that a stream gave.
type Outcome struct {
	Text, Thinking string
	Calls          []llm.ToolCall // from the deltas
	Events         []llm.EventKind
	Retries        []llm.Retry
	Response       *llm.Response
	Err            error
}

// Collect runs a stream to its end and checks what holds for every stream: events
// only before the end, one done or one error, nothing after it.
func Collect(t testing.TB, ctx context.Context, m llm.Model, req llm.Request) Outcome {
	t.Helper()
	var out Outcome
	var text, thinking strings.Builder
	for event, err := range m.Stream(ctx, req) {
		if out.Err != nil || out.Response != nil {
			t.Errorf("something came after the end: %+v, %v", event, err)
		}
		if err != nil {
			out.Err = err
			continue
		}
		out.Events = append(out.Events, event.Kind)
		switch event.Kind {
		case llm.EventText:
			text.WriteString(event.Text)
		case llm.EventThinking:
			thinking.WriteString(event.Text)
		case llm.EventToolCall:
			out.addDelta(t, event.ToolCall)
		case llm.EventDone:
			out.Response = event.Response
		case llm.EventRetry:
			out.Retries = append(out.Retries, *event.Retry)
		default:
			t.Errorf("unknown kind of event %d", event.Kind)
		}
		if (event.Kind == llm.EventText || event.Kind == llm.EventThinking) && event.Text == "" {
			t.Error("an event without text")
		}
	}
	if (out.Err == nil) == (out.Response == nil) {
		t.Errorf("the stream ended with error %v and response %+v", out.Err, out.Response)
	}
	out.Text, out.Thinking = text.String(), thinking.String()
	return out
}

func (o *Outcome) addDelta(t testing.TB, d *llm.ToolCallDelta) {
	t.Helper()
	switch {
	case d.Index == len(o.Calls):
		if d.Name == "" || d.ID == "" {
			t.Errorf("the first piece of call %d has id %q and name %q", d.Index, d.ID, d.Name)
		}
		o.Calls = append(o.Calls, llm.ToolCall{ID: d.ID, Name: d.Name, Arguments: d.Arguments})
	case d.Index < len(o.Calls):
		o.Calls[d.Index].Arguments += d.Arguments
	default:
		t.Errorf("call %d was announced before call %d", d.Index, len(o.Calls))
	}
}

func checkText(t *testing.T, p Provider) {
	model, req := p.Text(t)
	out := Collect(t, t.Context(), model, req)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	resp := out.Response
	if resp.Text == "" || resp.Text != out.Text || resp.Reasoning != out.Thinking {
		t.Errorf("pieces %q and %q, whole %q and %q", out.Text, out.Thinking, resp.Text, resp.Reasoning)
	}
	if len(out.Events) < 3 {
		t.Errorf("the text did not come in pieces: %v", out.Events)
	}
	if resp.FinishReason != llm.FinishStop || len(resp.ToolCalls) != 0 {
		t.Errorf("finish %q, calls %v", resp.FinishReason, resp.ToolCalls)
	}
	if u := resp.Usage; u.PromptTokens <= 0 || u.CompletionTokens <= 0 || u.TotalTokens < u.PromptTokens+
		u.CompletionTokens {
		t.Errorf("usage %+v", u)
	}
	if info := model.Info(); info.ID == "" || info.Model == "" {
		t.Errorf("info %+v", info)
	}
}

func checkCalls(t *testing.T, p Provider) {
	model, req, want := p.Calls(t)
	out := Collect(t, t.Context(), model, req)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if out.Response.FinishReason != llm.FinishToolCalls {
		t.Errorf("finish %q", out.Response.FinishReason)
	}
	if out.Response.Text != out.Text {
		t.Errorf("text pieces %q, whole %q", out.Text, out.Response.Text)
	}
	got := out.Response.ToolCalls
	if len(got) != len(want) {
		t.Fatalf("calls %+v", got)
	}
	ids := make(map[string]bool)
	for i := range want {
		if got[i].Name != want[i].Name || got[i].Arguments != want[i].Arguments || got[i].ID == "" {
			t.Errorf("call %d is %+v, want %+v", i, got[i], want[i])
		}
		if i >= len(out.Calls) || out.Calls[i] != got[i] {
			t.Errorf("the pieces of call %d make something else: %+v", i, out.Calls)
		}
		ids[got[i].ID] = true
	}
	if len(ids) != len(want) {
		t.Errorf("ids repeat: %+v", got)
	}
}

func checkDeadContext(t *testing.T, p Provider) {
	model, req := p.Text(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out := Collect(t, ctx, model, req); !errors.Is(out.Err, context.Canceled) {
		t.Errorf("error %v", out.Err)
	}
}

func checkEarlyBreak(t *testing.T, p Provider) {
	model, req := p.Text(t)
	n := 0
	for _, err := range model.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d events", n)
	}
	if out := Collect(t, t.Context(), model, req); out.Err != nil {
		t.Errorf("the next stream: %v", out.Err)
	}
}

func checkConcurrent(t *testing.T, p Provider) {
	model, req := p.Text(t)
	want := Collect(t, t.Context(), model, req)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			out := Collect(t, t.Context(), model, req)
			if out.Err != nil || out.Text != want.Text {
				t.Errorf("text %q, error %v, alone it was %q", out.Text, out.Err, want.Text)
			}
		})
	}
	wg.Wait()
}

func checkCancel(t *testing.T, p Provider) {
	model, req, gone := p.Stuck(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	events := 0
	for event, err := range model.Stream(ctx, req) {
		last = err
		events++
		if event.Kind == llm.EventDone {
			t.Error("a cancelled stream was done")
		}
		cancel()
	}
	if !errors.Is(last, context.Canceled) || events < 2 {
		t.Errorf("error %v after %d events", last, events)
	}
	gone(t)
}

func checkDeadline(t *testing.T, p Provider) {
	model, req, gone := p.Stuck(t)
	ctx := &dueContext{Context: t.Context(), done: make(chan struct{})}
	var last error
	for event, err := range model.Stream(ctx, req) {
		last = err
		if event.Kind == llm.EventDone {
			t.Error("a stream past its deadline was done")
		}
		ctx.expire()
	}
	if !errors.Is(last, context.DeadlineExceeded) {
		t.Errorf("error %v", last)
	}
	gone(t)
}

// dueContext is a context whose deadline passes when the test says so.
type dueContext struct {
	context.Context
	once sync.Once
	done chan struct{}
}

func (c *dueContext) expire()               { c.once.Do(func() { close(c.done) }) }
func (c *dueContext) Done() <-chan struct{} { return c.done }

func (c *dueContext) Err() error {
	select {
	case <-c.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func checkLeave(t *testing.T, p Provider) {
	model, req, gone := p.Stuck(t)
	for _, err := range model.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	gone(t)
}

func checkFailure(t *testing.T, code string, failure func(t *testing.T) (llm.Model, llm.Request)) {
	model, req := failure(t)
	out := Collect(t, t.Context(), model, req)
	var typed *llm.Error
	if !errors.As(out.Err, &typed) {
		t.Fatalf("error %v of type %T", out.Err, out.Err)
	}
	if typed.Code != code || typed.ErrorCode() != code {
		t.Errorf("code %q: %v", typed.Code, typed)
	}
	if typed.Message == "" || typed.Model != model.Info().ID {
		t.Errorf("message %q of model %q", typed.Message, typed.Model)
	}
}
