package demo

import (
	"context"
	"regexp"
	"time"

	"nanoclaw/internal/llm"
)

// emitter yields events until the consumer leaves or the context ends.
type emitter struct {
	ctx   context.Context
	yield func(llm.Event, error) bool
	delay time.Duration
}

// send yields one event; false: the stream is over.
func (e *emitter) send(event llm.Event) bool {
	if e.delay > 0 {
		timer := time.NewTimer(e.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-e.ctx.Done():
		}
	}
	if err := e.ctx.Err(); err != nil {
		e.yield(llm.Event{}, err)
		return false
	}
	return e.yield(event, nil)
}

func (e *emitter) pieces(kind llm.EventKind, text string) bool {
	for _, piece := range chunks(text) {
		if !e.send(llm.Event{Kind: kind, Text: piece}) {
			return false
		}
	}
	return true
}

// calls yields each call as models do: its name first, its arguments in fragments.
func (e *emitter) calls(calls []llm.ToolCall) bool {
	for i, call := range calls {
		deltas := []llm.ToolCallDelta{{Index: i, ID: call.ID, Name: call.Name}}
		for _, fragment := range fragment.FindAllString(call.Arguments, -1) {
			deltas = append(deltas, llm.ToolCallDelta{Index: i, Arguments: fragment})
		}
		for _, delta := range deltas {
			if !e.send(llm.Event{Kind: llm.EventToolCall, ToolCall: &delta}) {
				return false
			}
		}
	}
	return true
}

var (
	chunk    = regexp.MustCompile(`(?s)\p{Han}{4}|[^\s\p{Han}]*\s|[^\s\p{Han}]+|\p{Han}{1,3}`)
	fragment = regexp.MustCompile(`(?s).{1,24}`)
)

// chunks cuts a text after every word, Chinese after every few characters.
func chunks(text string) []string { return chunk.FindAllString(text, -1) }
