package anthropictest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"
)

// stream writes a reply as server-sent events.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, reply Reply) {
	leave := func() {
		<-r.Context().Done()
		s.abandoned <- struct{}{}
	}
	switch reply.fault {
	case Hang:
		leave()
		return
	case WebPage:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html>\n<html><body>Please log in</body></html>\n")
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Request-Id", "req_test")
	out := &events{w: w}
	if reply.fault == ErrorFirst {
		out.raw("error", errorBody(reply.kind, reply.message))
		return
	}
	usage := map[string]any{"input_tokens": 25, "output_tokens": 1, "cache_creation_input_tokens": 0,
		"cache_read_input_tokens": 0}
	for name, value := range reply.usage {
		usage[name] = value
	}
	out.send("message_start", map[string]any{"message": map[string]any{
		"id": "msg_test", "type": "message", "role": "assistant", "content": []any{}, "model": "claude-test",
		"stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}})
	out.send("ping", map[string]any{})
	if reply.fault == UnknownEvent {
		out.send("novelty", map[string]any{"index": 99})
	}
	if !s.blocks(out, r, reply, leave) {
		return
	}
	out.send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": reply.stopReason, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": 17},
	})
	if reply.fault != NoStop {
		out.send("message_stop", map[string]any{})
	}
}

// blocks writes the content; false: the answer is over.
func (s *Server) blocks(out *events, r *http.Request, reply Reply, leave func()) bool {
	if reply.fault == StrayDelta {
		out.send("content_block_delta", map[string]any{"index": 5, "delta": map[string]any{"type": "text_delta",
			"text": "?"}})
	}
	index := 0
	if reply.fault == UnknownEvent {
		out.send("content_block_start", map[string]any{"index": index,
			"content_block": map[string]any{"type": "hologram", "shape": "cube"}})
		out.send("content_block_delta", map[string]any{"index": index, "delta": map[string]any{"type": "hologram_delta",
			"angle": 90}})
		out.send("content_block_stop", map[string]any{"index": index})
		index++
	}
	for _, block := range reply.blocks {
		out.send("content_block_start", map[string]any{"index": index, "content_block": block.start})
		pieces := cut(block.text, reply.fragment)
		for i, piece := range pieces {
			out.send("content_block_delta", map[string]any{"index": index, "delta": map[string]any{"type": block.delta,
				block.field: piece}})
			if i > 0 && !s.misbehave(out, reply, leave) {
				return false
			}
		}
		for _, delta := range block.deltas {
			out.send("content_block_delta", map[string]any{"index": index, "delta": delta})
		}
		out.send("content_block_stop", map[string]any{"index": index})
		index++
	}
	return true
}

// misbehave plays a fault of the middle of an answer; false: the answer is over.
func (s *Server) misbehave(out *events, reply Reply, leave func()) bool {
	switch reply.fault {
	case Cut:
		return false
	case Drop:
		panic(http.ErrAbortHandler)
	case BadJSON:
		out.raw("content_block_delta", []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_`))
		return false
	case ErrorEvent:
		out.raw("error", errorBody(reply.kind, reply.message))
		return false
	case Stall:
		leave()
		return false
	}
	return true
}

type events struct{ w http.ResponseWriter }

func (e *events) send(kind string, fields map[string]any) {
	fields["type"] = kind
	data, err := json.Marshal(fields)
	if err != nil {
		panic(err) // a test's own mistake
	}
	e.raw(kind, data)
}

func (e *events) raw(kind string, data []byte) {
	fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", kind, data)
	e.w.(http.Flusher).Flush()
}

// cut splits a text into pieces of about size bytes, between characters.
func cut(text string, size int) []string {
	var pieces []string
	for len(text) > 0 {
		end := min(max(size, 1), len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		pieces, text = append(pieces, text[:end]), text[end:]
	}
	return pieces
}
