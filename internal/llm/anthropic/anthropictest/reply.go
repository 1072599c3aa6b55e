package anthropictest

import (
	"encoding/json"
	"net/http"
)

// Reply is what the server answers to one request.
type Reply struct {
	blocks     []Block
	stopReason string
	usage      map[string]any
	fault      Fault
	status     int // of an HTTP error
	kind       string
	message    string
	header     http.Header
	fragment   int // bytes of a delta
}

// Fault is a way to misbehave.
type Fault int

// The faults.
const (
	Well         Fault = iota
	Cut                // the stream ends in the middle, cleanly
	Drop               // the connection breaks in the middle
	BadJSON            // an event that is no JSON
	ErrorEvent         // an error event after some text; see Failing
	ErrorFirst         // an error event before any text; see Failing
	Stall              // some text, then nothing until the caller leaves
	Hang               // no answer at all until the caller leaves
	NoStop             // everything but message_stop
	WebPage            // 200 with HTML
	StrayDelta         // a delta of a block that never began
	UnknownEvent       // events and blocks of types that do not exist yet
)

// Block is one content block.
type Block struct {
	start  map[string]any
	deltas []map[string]any
	text   string // cut into deltas
	delta  string // type of those
	field  string
}

// Text is a text block.
func Text(text string) Block {
	return Block{start: map[string]any{"type": "text", "text": ""}, text: text, delta: "text_delta", field: "text"}
}

// Thinking is a signed thinking block.
func Thinking(text, signature string) Block {
	return Block{
		start: map[string]any{"type": "thinking", "thinking": "", "signature": ""},
		text:  text, delta: "thinking_delta", field: "thinking",
		deltas: []map[string]any{{"type": "signature_delta", "signature": signature}},
	}
}

// Redacted is a redacted thinking block.
func Redacted(data string) Block {
	return Block{start: map[string]any{"type": "redacted_thinking", "data": data}}
}

// ToolUse is a tool call; arguments is JSON text, or empty for none.
func ToolUse(id, name, arguments string) Block {
	return Block{
		start: map[string]any{"type": "tool_use", "id": id, "name": name, "input": map[string]any{}},
		text:  arguments, delta: "input_json_delta", field: "partial_json",
	}
}

// Answer is a successful reply.
func Answer(blocks ...Block) Reply {
	stop := "end_turn"
	for _, block := range blocks {
		if block.start["type"] == "tool_use" {
			stop = "tool_use"
		}
	}
	return Reply{blocks: blocks, stopReason: stop, fragment: 7}
}

// Failure is an HTTP error in the API's shape.
func Failure(status int, kind, message string) Reply {
	return Reply{status: status, kind: kind, message: message, header: http.Header{}}
}

// With sets a header of an HTTP error.
func (r Reply) With(name, value string) Reply {
	r.header = r.header.Clone()
	r.header.Set(name, value)
	return r
}

// Stopping sets the stop_reason.
func (r Reply) Stopping(reason string) Reply {
	r.stopReason = reason
	return r
}

// Fault makes the reply misbehave.
func (r Reply) Fault(f Fault) Reply {
	r.fault = f
	return r
}

// Failing is what an error event says.
func (r Reply) Failing(kind, message string) Reply {
	r.kind, r.message = kind, message
	return r
}

// Usage adds fields to the usage of message_start.
func (r Reply) Usage(fields map[string]any) Reply {
	r.usage = fields
	return r
}

// Fragments sets how many bytes a delta has.
func (r Reply) Fragments(size int) Reply {
	r.fragment = size
	return r
}

func errorBody(kind, message string) []byte {
	body, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message},
		"request_id": "req_test"})
	return body
}
