package llmtest

import (
	"maps"
	"slices"
	"time"
)

// Reply is what the server answers. Make one with Text, Calls or Failure and
// change it with the methods below; each returns a changed copy.
type Reply struct {
	Thinking string
	Text     string
	Calls    []Call
	Finish   string // finish_reason; empty: stop or tool_calls
	Usage    Usage  // zero: counted in words

	ChunkRunes int           // characters per chunk; 0: one word
	FirstByte  time.Duration // before the first byte
	Between    time.Duration // between two chunks
	Gate       *Gate         // holds the reply before the first byte …
	GateChunk  int           // … or before this chunk, from 1

	Status  int               // not 0 and not 200: an HTTP error
	Headers map[string]string //
	Body    string            // of an HTTP error; empty: an error object of ErrorMessage and ErrorCode

	ErrorMessage string // for Failure and ErrorEvent
	ErrorCode    string
	ErrorType    string

	Faults     []Fault
	FaultChunk int // chunks that come before a fault in mid-stream; 0: half of them
	PadLine    int // bytes that make every line longer
	Refuse     []string
}

// Usage is in tokens.
type Usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
	Cached     int `json:"cached,omitempty"`
	Reasoning  int `json:"reasoning,omitempty"`
}

// Text answers with text. {{user}}, {{last}} and {{system}} in it stand for the
// last user message, the last message (a tool's result, say) and the system message.
func Text(text string) Reply { return Reply{Text: text} }

// Calls answers with tool calls. The names of Text work in the arguments too,
// where they are escaped for a JSON string.
func Calls(calls ...Call) Reply { return Reply{Calls: calls} }

// Failure answers with an HTTP error and an error object.
func Failure(status int, message string) Reply { return Reply{Status: status, ErrorMessage: message} }

// WithThinking puts reasoning before the answer.
func (r Reply) WithThinking(text string) Reply { r.Thinking = text; return r }

// WithText puts text before the tool calls.
func (r Reply) WithText(text string) Reply { r.Text = text; return r }

// WithFinish sets the finish_reason.
func (r Reply) WithFinish(reason string) Reply { r.Finish = reason; return r }

// WithUsage sets the tokens that are reported.
func (r Reply) WithUsage(u Usage) Reply { r.Usage = u; return r }

// WithCode sets the code of the error object.
func (r Reply) WithCode(code string) Reply { r.ErrorCode = code; return r }

// WithHeader sets a header of the answer.
func (r Reply) WithHeader(name, value string) Reply {
	r.Headers = maps.Clone(r.Headers)
	if r.Headers == nil {
		r.Headers = make(map[string]string)
	}
	r.Headers[name] = value
	return r
}

// After waits before the first byte, and before each further chunk.
func (r Reply) After(first, between time.Duration) Reply {
	r.FirstByte, r.Between = first, between
	return r
}

// At holds the reply at the gate before the first byte.
func (r Reply) At(g *Gate) Reply { r.Gate, r.GateChunk = g, 0; return r }

// AtChunk holds the reply at the gate before its n-th chunk, from 1.
func (r Reply) AtChunk(n int, g *Gate) Reply { r.Gate, r.GateChunk = g, n; return r }

// With adds faults.
func (r Reply) With(faults ...Fault) Reply {
	r.Faults = append(slices.Clone(r.Faults), faults...)
	return r
}

// Refusing answers 400 to a request that has one of the fields, as providers do
// that do not know stream_options, temperature, max_tokens …
func (r Reply) Refusing(fields ...string) Reply {
	r.Refuse = append(slices.Clone(r.Refuse), fields...)
	return r
}

func (r Reply) has(f Fault) bool { return slices.Contains(r.Faults, f) }
