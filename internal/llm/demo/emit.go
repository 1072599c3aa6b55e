package demo

import (
	"context"
	"iter"
	"time"
	"unicode"
	"unicode/utf8"

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
	if err := e.pause(); err != nil {
		e.yield(llm.Event{}, err)
		return false
	}
	return e.yield(event, nil)
}

func (e *emitter) pause() error {
	if e.delay > 0 {
		timer := time.NewTimer(e.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-e.ctx.Done():
		}
	}
	return e.ctx.Err()
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
		if !e.send(llm.Event{Kind: llm.EventToolCall, ToolCall: &llm.ToolCallDelta{Index: i, ID: call.ID,
			Name: call.Name}}) {
			return false
		}
		for fragment := range fragments(call.Arguments) {
			if !e.send(llm.Event{Kind: llm.EventToolCall, ToolCall: &llm.ToolCallDelta{Index: i,
				Arguments: fragment}}) {
				return false
			}
		}
	}
	return true
}

// chunks cuts a text after every word, Chinese after every few characters.
func chunks(text string) []string {
	const run = 4
	var pieces []string
	start, han := 0, 0
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size := utf8.DecodeRuneInString(text[i:])
			end = i + size
		}
		if unicode.Is(unicode.Han, r) {
			han++
		}
		if unicode.IsSpace(r) || han == run {
			pieces = append(pieces, text[start:end])
			start, han = end, 0
		}
	}
	if start < len(text) {
		pieces = append(pieces, text[start:])
	}
	return pieces
}

// fragments cuts arguments into pieces of a few characters.
func fragments(text string) iter.Seq[string] {
	const size = 24
	return func(yield func(string) bool) {
		for len(text) > 0 {
			end := min(size, len(text))
			for end < len(text) && !utf8.RuneStart(text[end]) {
				end++
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}
