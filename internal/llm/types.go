package llm

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Model is one configured model. It is safe for concurrent use.
type Model interface {
	// Info describes the model.
	Info() Info

	// Stream sends the request and yields events in the order in which the model
	// produces them. A successful stream ends with exactly one EventDone. A
	// stream that fails yields one error (a *Error, or ctx's error) and ends; the
	// events before it stand. Leaving the loop early cancels the request.
	Stream(ctx context.Context, req Request) iter.Seq2[Event, error]
}

// Info is what the API and the UI show of a model.
type Info struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Provider      string   `json:"provider"`       // openai, anthropic, demo
	Model         string   `json:"model"`          // name on the wire
	ContextWindow int      `json:"context_window"` // tokens
	MaxOutput     int      `json:"max_output_tokens,omitempty"`
	Supports      []string `json:"supports"` // tools, thinking, images
	Disabled      bool     `json:"disabled"`
	Reason        string   `json:"reason,omitempty"` // why it is disabled
	// MissingEnv are the environment variables, comma-separated, for want of which it is disabled.
	MissingEnv string `json:"missing_env,omitempty"`
	Source     string `json:"source"` // config, environment, ollama, builtin
	// Vendor is who answers, for people: a provider's name, or the host of its address.
	Vendor string `json:"vendor"`
	Hidden bool   `json:"hidden"` // in no list of choices; it can still be used
	Price  Price  `json:"price"`
}

// Price is per million tokens, in the currency of config.yml; 0: none is known.
type Price struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
	Cached float64 `json:"cached"`
}

// Roles of messages.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Message is one entry of the context.
type Message struct {
	Role string
	Text string

	Images []Image // of users and of tool results

	// Assistant only. Reasoning is replayed to providers that want it back;
	// Opaque is what a provider needs word for word to replay its own turn
	// (signed thinking blocks) and means nothing to any other.
	Reasoning string
	Opaque    json.RawMessage
	ToolCalls []ToolCall

	// Tool results only: the provider's id of the call, and the tool's name.
	ToolCallID string
	ToolName   string
}

// Image is a picture of a user message or a tool result.
type Image struct {
	MediaType string // image/png, image/jpeg, image/gif, image/webp
	Data      []byte

	// ID and Size tell of an image whose Data the loop reads just before it is sent.
	ID   string
	Size int64
}

// ToolCall is a call as the model made it. ID is the provider's and may repeat
// between turns; Arguments is JSON text, perhaps broken.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// ToolDef offers a tool to the model.
type ToolDef struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of an object
}

// Thinking asks for reasoning or against it.
type Thinking string

// What a request can ask for. A model that reasons unasked is streamed all the same.
const (
	ThinkingDefault Thinking = ""
	ThinkingOn      Thinking = "on"
	ThinkingOff     Thinking = "off"
	// How much to think, where the provider lets one say so; elsewhere they are on.
	ThinkingLow    Thinking = "low"
	ThinkingMedium Thinking = "medium"
	ThinkingHigh   Thinking = "high"
)

// Asked says whether thinking is asked for.
func (t Thinking) Asked() bool { return t != ThinkingDefault && t != ThinkingOff }

// Effort is how much thinking is asked for: low, medium or high, or otherwise where that is not said.
func (t Thinking) Effort(otherwise string) string {
	if t == ThinkingLow || t == ThinkingMedium || t == ThinkingHigh {
		return string(t)
	}
	return otherwise
}

// Request is one model call.
type Request struct {
	Messages    []Message
	Tools       []ToolDef
	MaxTokens   int      // 0: the model's default
	Temperature *float64 // nil: the model's default
	Thinking    Thinking
}

// EventKind says which field of an Event counts.
type EventKind int

// The kinds of events.
const (
	EventThinking EventKind = iota + 1 // Text is a piece of reasoning
	EventText                          // Text is a piece of the answer
	EventToolCall                      // ToolCall is a piece of a tool call
	EventDone                          // Response is the whole answer
	EventRetry                         // Retry: nothing of an answer came, and the request is made again
)

// Event is one step of a stream.
type Event struct {
	Kind     EventKind
	Text     string
	ToolCall *ToolCallDelta
	Response *Response
	Retry    *Retry
}

// Retry is a wait before the request is made again.
type Retry struct {
	Reason *Error        // why the last try failed
	Wait   time.Duration // from now
	Try    int           // the number of the coming retry, from 1
	Max    int           // retries that there are at most
}

// ToolCallDelta is a piece of a tool call, for display only: the calls that
// count are in the Response. ID and Name stand in the first piece of an Index.
type ToolCallDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string // the next fragment of the JSON text
}

// Finish reasons.
const (
	FinishStop      = "stop"
	FinishToolCalls = "tool_calls"
	FinishLength    = "length"
	FinishFilter    = "content_filter"
)

// Response is the whole answer of a model call.
type Response struct {
	Text         string
	Reasoning    string
	Opaque       json.RawMessage // see Message.Opaque
	ToolCalls    []ToolCall
	FinishReason string
	Usage        Usage
}

// Usage is in tokens. Estimated: the provider reported none and it was counted here.
type Usage struct {
	PromptTokens     int  `json:"prompt_tokens"`
	CompletionTokens int  `json:"completion_tokens"`
	TotalTokens      int  `json:"total_tokens"`
	CachedTokens     int  `json:"cached_tokens,omitempty"`    // part of PromptTokens
	ReasoningTokens  int  `json:"reasoning_tokens,omitempty"` // part of CompletionTokens
	Estimated        bool `json:"estimated,omitempty"`
}
