package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/openai/wire"
)

// answer is what a try has read so far.
type answer struct {
	emit func(llm.Event) bool

	text, reasoning []byte
	contentJoiner   wire.Joiner
	reasoningJoiner wire.Joiner
	think           wire.Think
	fragments       wire.Calls
	calls           []wire.Call // whole, after close
	details         reasoningDetails

	size     int // bytes of everything that was said
	finish   string
	complete bool // the last chunk that said anything was the end
	whole    bool // it came as one document
	usage    llm.Usage
}

func newAnswer(emit func(llm.Event) bool) answer { return answer{emit: emit} }

// take adds a chunk and emits what is new.
func (a *answer) take(c *wire.Chunk) error {
	if c.Usage != nil {
		a.usage = *c.Usage
	}
	if c.Whole {
		if !a.empty() { // a summary at the end of what was streamed
			c.Content, c.Reasoning, c.Details, c.Fragments = nil, nil, nil, nil
		}
		a.whole = true
	}
	said := len(c.Content) > 0 || len(c.Reasoning) > 0 || len(c.Fragments) > 0
	if said {
		a.complete = false
	}
	if c.Finish != "" && c.Finish != "null" {
		if err := failedFinish(c.Finish); err != nil {
			return err
		}
		a.finish = c.Finish
		a.complete = !said
	}
	if err := a.grow(c); err != nil {
		return err
	}
	a.details.add(c.Details)
	if !a.takeReasoning(c.Reasoning) || !a.takeContent(c.Content) {
		return errLeft
	}
	for _, fragment := range c.Fragments {
		if delta, show := a.fragments.Add(fragment); show && !a.emitCall(delta) {
			return errLeft
		}
	}
	return nil
}

// Bounds of an answer, far above what a model says on purpose.
const (
	maxAnswer = 64 << 20 // bytes
	maxCalls  = 512
)

// grow refuses an answer without an end.
func (a *answer) grow(c *wire.Chunk) error {
	a.size += len(c.Content) + len(c.Reasoning) + len(c.Details)
	for _, fragment := range c.Fragments {
		a.size += len(fragment.Arguments) + len(fragment.Name)
	}
	if a.size <= maxAnswer && a.fragments.Len()+len(c.Fragments) <= maxCalls {
		return nil
	}
	return &llm.Error{Code: llm.CodeProtocol,
		Message: fmt.Sprintf("the answer is longer than %d MiB or has more than %d tool calls", maxAnswer>>20,
			maxCalls)}
}

func (a *answer) takeReasoning(piece []byte) bool {
	if len(piece) == 0 {
		return true
	}
	a.think.Off()
	return a.emitText(llm.EventThinking, string(a.reasoningJoiner.Push(piece)))
}

func (a *answer) takeContent(piece []byte) bool {
	if len(piece) == 0 {
		return true
	}
	reasoning, text := a.think.Push(a.contentJoiner.Push(piece))
	return a.emitText(llm.EventThinking, reasoning) && a.emitText(llm.EventText, text)
}

func (a *answer) emitText(kind llm.EventKind, text string) bool {
	if text == "" {
		return true
	}
	if kind == llm.EventThinking {
		a.reasoning = append(a.reasoning, text...)
	} else {
		a.text = append(a.text, text...)
	}
	return a.emit(llm.Event{Kind: kind, Text: text})
}

func (a *answer) emitCall(d wire.Delta) bool {
	return a.emit(llm.Event{Kind: llm.EventToolCall, ToolCall: &llm.ToolCallDelta{
		Index: d.Index, ID: d.ID, Name: d.Name, Arguments: d.Arguments,
	}})
}

// close emits what was held back and puts the calls together.
func (a *answer) close() error {
	reasoning, text := a.think.Push(a.contentJoiner.Flush())
	moreReasoning, moreText := a.think.Flush()
	reasoning = string(a.reasoningJoiner.Flush()) + reasoning + moreReasoning
	if !a.emitText(llm.EventThinking, reasoning) || !a.emitText(llm.EventText, text+moreText) {
		return errLeft
	}
	calls, err := a.fragments.Whole()
	if err != nil {
		return &llm.Error{Code: llm.CodeProtocol, Retryable: true, Err: err,
			Message: fmt.Sprintf("the model called a tool in a way that cannot be read (%v). Try again, or choose another model",
				err)}
	}
	a.calls = calls
	return nil
}

// empty reports whether nothing of an answer came.
func (a *answer) empty() bool {
	return len(a.text) == 0 && len(a.reasoning) == 0 && a.fragments.Len() == 0
}

// failedFinish is the error of a finish_reason that means one.
func failedFinish(reason string) error {
	switch reason {
	case "error", "network_error", "insufficient_system_resource", "abort":
		return &llm.Error{
			Code: llm.CodeUnavailable, Retryable: true,
			Message: fmt.Sprintf("the provider broke the answer off (%s). Try again, or choose another model", reason),
		}
	}
	return nil
}

// finishReason translates a finish_reason; what is unknown is a plain end.
func (a *answer) finishReason() string {
	switch a.finish {
	case "length", "max_tokens", "model_length", "MAX_TOKENS", "model_context_window_exceeded":
		return llm.FinishLength
	case "content_filter", "sensitive", "safety", "SAFETY":
		return llm.FinishFilter
	}
	if len(a.calls) > 0 {
		return llm.FinishToolCalls
	}
	return llm.FinishStop
}

func (a *answer) opaque() json.RawMessage {
	kept := opaque{ReasoningDetails: a.details}
	for _, call := range a.calls {
		if len(call.Extra) > 0 {
			if kept.ExtraContent == nil {
				kept.ExtraContent = make(map[string]json.RawMessage)
			}
			kept.ExtraContent[call.ID] = call.Extra
		}
	}
	if kept.ExtraContent == nil && len(kept.ReasoningDetails) == 0 {
		return nil
	}
	raw, err := json.Marshal(kept)
	if err != nil {
		return nil // cannot happen: the parts were read as JSON
	}
	return raw
}

// asResponse is the answer as one plain, well-formed completion.
func (a *answer) asResponse(req *http.Request) (*http.Response, error) {
	type function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	type toolCall struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	type message struct {
		Role             string     `json:"role"`
		Content          string     `json:"content"`
		ReasoningContent string     `json:"reasoning_content,omitempty"`
		ToolCalls        []toolCall `json:"tool_calls,omitempty"`
	}
	type choice struct {
		Message      message `json:"message"`
		FinishReason string  `json:"finish_reason"`
	}
	whole := choice{message{Role: "assistant", Content: string(a.text), ReasoningContent: string(a.reasoning)},
		a.finishReason()}
	for _, call := range a.calls {
		whole.Message.ToolCalls = append(whole.Message.ToolCalls, toolCall{call.ID, "function",
			function{call.Name, call.Arguments}})
	}
	document, err := json.Marshal(map[string]any{"choices": []choice{whole}})
	if err != nil {
		return nil, fmt.Errorf("encode the whole answer: %w", err)
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewReader(document)), ContentLength: int64(len(document)), Request: req,
	}, nil
}
