package anthropic

import (
	"encoding/json"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"nanoclaw/internal/llm"
)

// answer is what a try has read so far.
type answer struct {
	names toolNames
	emit  func(llm.Event) error

	text, reasoning []byte
	blocks          []opaqueBlock
	calls           []llm.ToolCall
	arguments       [][]byte         // of the calls, while they come
	open            map[int64]*block // by the API's index

	reason  sdk.StopReason
	stopped bool // message_stop came
	usage   usage
}

// block is a content block that is being streamed.
type block struct {
	kind  string
	place int // in blocks
	call  int // in calls
}

type usage struct{ input, cacheRead, cacheWrite, output, thinking int64 }

// complete: the model said why it stopped.
func (a *answer) complete() bool { return a.stopped || a.reason != "" }

// take adds an event of the stream. Events and blocks of unknown types are passed
// over: the API's promise is that they may come.
func (a *answer) take(event sdk.MessageStreamEventUnion) error {
	switch event.Type {
	case "message_start":
		a.usage.start(event.Message.Usage)
	case "content_block_start":
		return a.begin(event.Index, event.ContentBlock)
	case "content_block_delta":
		return a.grow(event.Index, event.Delta)
	case "message_delta":
		if event.Delta.StopReason != "" {
			a.reason = event.Delta.StopReason
		}
		a.usage.update(event.Usage)
	case "message_stop":
		a.stopped = true
	}
	return nil
}

func (a *answer) begin(index int64, start sdk.ContentBlockStartEventContentBlockUnion) error {
	if a.open == nil {
		a.open = make(map[int64]*block)
	}
	b := &block{kind: start.Type, place: len(a.blocks)}
	a.open[index] = b
	switch start.Type {
	case "text":
		a.blocks = append(a.blocks, opaqueBlock{Type: "text"})
		return a.say(b, start.Text)
	case "thinking":
		a.blocks = append(a.blocks, opaqueBlock{Type: "thinking", Signature: start.Signature})
		return a.think(b, start.Thinking)
	case "redacted_thinking":
		a.blocks = append(a.blocks, opaqueBlock{Type: "redacted_thinking", Data: start.Data})
	case "tool_use":
		b.call = len(a.calls)
		a.blocks = append(a.blocks, opaqueBlock{Type: "tool_use"})
		call := llm.ToolCall{ID: start.ID, Name: a.names.own(start.Name)}
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%d", b.call+1)
		}
		a.calls = append(a.calls, call)
		a.arguments = append(a.arguments, nil)
		if err := a.emit(callEvent(b.call, call.ID, call.Name, "")); err != nil {
			return err
		}
		return a.argue(b, wholeInput(start.Input))
	}
	return nil
}

// wholeInput is the arguments of a call that comes in one piece, as some
// compatible endpoints send it; usually the deltas follow an empty object.
func wholeInput(input any) string {
	object, ok := input.(map[string]any)
	if !ok || len(object) == 0 {
		return ""
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return "" // cannot happen: it was read from JSON
	}
	return string(raw)
}

func (a *answer) grow(index int64, delta sdk.MessageStreamEventUnionDelta) error {
	b := a.open[index]
	if b == nil {
		return &llm.Error{
			Code: llm.CodeProtocol, Retryable: true,
			Message: fmt.Sprintf("the answer goes on in a block %d that never began. Try again, or choose another model", index),
		}
	}
	switch {
	case delta.Type == "text_delta" && b.kind == "text":
		return a.say(b, delta.Text)
	case delta.Type == "thinking_delta" && b.kind == "thinking":
		return a.think(b, delta.Thinking)
	case delta.Type == "signature_delta" && b.kind == "thinking":
		a.blocks[b.place].Signature += delta.Signature
	case delta.Type == "input_json_delta" && b.kind == "tool_use":
		return a.argue(b, delta.PartialJSON)
	}
	return nil
}

func (a *answer) say(b *block, piece string) error {
	if piece == "" {
		return nil
	}
	a.text = append(a.text, piece...)
	a.blocks[b.place].Length += len(piece)
	return a.emit(llm.Event{Kind: llm.EventText, Text: piece})
}

func (a *answer) think(b *block, piece string) error {
	if piece == "" {
		return nil
	}
	a.reasoning = append(a.reasoning, piece...)
	a.blocks[b.place].Thinking += piece
	return a.emit(llm.Event{Kind: llm.EventThinking, Text: piece})
}

func (a *answer) argue(b *block, piece string) error {
	if piece == "" {
		return nil
	}
	a.arguments[b.call] = append(a.arguments[b.call], piece...)
	return a.emit(callEvent(b.call, "", "", piece))
}

func callEvent(index int, id, name, arguments string) llm.Event {
	return llm.Event{Kind: llm.EventToolCall, ToolCall: &llm.ToolCallDelta{Index: index, ID: id, Name: name,
		Arguments: arguments}}
}

func (a *answer) response(model string) *llm.Response {
	for i := range a.calls {
		a.calls[i].Arguments = a.argumentsOf(i)
	}
	return &llm.Response{
		Text: string(a.text), Reasoning: string(a.reasoning), Opaque: remember(a.blocks, model),
		ToolCalls: a.calls, FinishReason: a.finish(), Usage: a.usage.total(),
	}
}

// argumentsOf is a call's JSON text. None is an empty object, but not where the
// answer was cut off at the call: then they are missing, and the call must not run
// as if there were none.
func (a *answer) argumentsOf(call int) string {
	if len(a.arguments[call]) > 0 {
		return string(a.arguments[call])
	}
	last := len(a.calls) == call+1 && a.blocks[len(a.blocks)-1].Type == "tool_use"
	if last && a.finish() == llm.FinishLength {
		return "{"
	}
	return "{}"
}

func (a *answer) finish() string {
	switch a.reason {
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		return llm.FinishLength
	case sdk.StopReasonRefusal:
		return llm.FinishFilter
	}
	if len(a.calls) > 0 {
		return llm.FinishToolCalls
	}
	return llm.FinishStop
}

func (u *usage) start(s sdk.Usage) {
	*u = usage{s.InputTokens, s.CacheReadInputTokens, s.CacheCreationInputTokens, s.OutputTokens,
		s.OutputTokensDetails.ThinkingTokens}
}

// update takes the figures at the end, which are totals; older endpoints give only
// the output there.
func (u *usage) update(d sdk.MessageDeltaUsage) {
	u.input = max(u.input, d.InputTokens)
	u.cacheRead = max(u.cacheRead, d.CacheReadInputTokens)
	u.cacheWrite = max(u.cacheWrite, d.CacheCreationInputTokens)
	u.output = max(u.output, d.OutputTokens)
	u.thinking = max(u.thinking, d.OutputTokensDetails.ThinkingTokens)
}

// total: input_tokens is only what neither came from the cache nor went into it.
func (u *usage) total() llm.Usage {
	prompt := u.input + u.cacheRead + u.cacheWrite
	return llm.Usage{
		PromptTokens: int(prompt), CompletionTokens: int(u.output), TotalTokens: int(prompt + u.output),
		CachedTokens: int(u.cacheRead), ReasoningTokens: int(u.thinking),
	}
}
