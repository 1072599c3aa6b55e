package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Request is one call of the chat endpoint, decoded.
type Request struct {
	N           int         // 1 for the first request that the server got
	Model       string      //
	Messages    []Message   //
	Tools       []Tool      // offered to the model
	Stream      bool        //
	Temperature *float64    //
	MaxTokens   int         // of max_tokens or max_completion_tokens
	Header      http.Header //
	Body        []byte      // as it came
	Time        time.Time   // when it came

	raw map[string]json.RawMessage
}

// Message is one entry of a request's history.
type Message struct {
	Role       string
	Text       string
	Images     []string // URLs, data URLs mostly
	Reasoning  string   // reasoning_content or reasoning, replayed
	ToolCalls  []Call
	ToolCallID string
	Name       string
}

// Call is a tool call, of a reply or of a request's history.
type Call struct {
	ID        string          `json:"id,omitempty"` // empty in a reply: one is made up
	Name      string          `json:"name"`
	Arguments string          `json:"arguments,omitempty"` // JSON text, sent as it is
	Extra     json.RawMessage `json:"extra_content,omitempty"`
}

// Tool is a tool that was offered.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Field returns a field of the request's body as it was sent, nil where it is absent.
func (r Request) Field(name string) json.RawMessage { return r.raw[name] }

// System is the text of the first system message.
func (r Request) System() string {
	for _, m := range r.Messages {
		if m.Role == "system" || m.Role == "developer" {
			return m.Text
		}
	}
	return ""
}

// User is the text of the last user message.
func (r Request) User() string {
	if i := r.lastUser(); i >= 0 {
		return r.Messages[i].Text
	}
	return ""
}

// Last is the last message of the history.
func (r Request) Last() Message {
	if len(r.Messages) == 0 {
		return Message{}
	}
	return r.Messages[len(r.Messages)-1]
}

// Call counts the model calls of this conversation, from 1, by the assistant
// messages in its history: the same request twice has the same number.
func (r Request) Call() int { return 1 + countRole(r.Messages, "assistant") }

// Step counts the model calls since the last user message, from 1.
func (r Request) Step() int {
	return 1 + countRole(r.Messages[max(r.lastUser(), 0):], "assistant")
}

// ToolResults are the tool messages since the last user message, in order.
func (r Request) ToolResults() []Message {
	var found []Message
	for _, m := range r.Messages[max(r.lastUser(), 0):] {
		if m.Role == "tool" {
			found = append(found, m)
		}
	}
	return found
}

// ToolNames are the names of the tools that were offered.
func (r Request) ToolNames() []string {
	names := make([]string, len(r.Tools))
	for i, tool := range r.Tools {
		names[i] = tool.Name
	}
	return names
}

// Offers says whether a tool was offered.
func (r Request) Offers(name string) bool {
	for _, tool := range r.Tools {
		if tool.Name == name {
			return true
		}
	}
	return false
}

func (r Request) lastUser() int {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" {
			return i
		}
	}
	return -1
}

func countRole(messages []Message, role string) int {
	n := 0
	for _, m := range messages {
		if m.Role == role {
			n++
		}
	}
	return n
}

type wireRequest struct {
	Model               string        `json:"model"`
	Messages            []wireMessage `json:"messages"`
	Stream              bool          `json:"stream"`
	Temperature         *float64      `json:"temperature"`
	MaxTokens           int           `json:"max_tokens"`
	MaxCompletionTokens int           `json:"max_completion_tokens"`
	Tools               []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

type wireMessage struct {
	Role             string          `json:"role"`
	Content          json.RawMessage `json:"content"`
	ReasoningContent string          `json:"reasoning_content"`
	Reasoning        string          `json:"reasoning"`
	Name             string          `json:"name"`
	ToolCallID       string          `json:"tool_call_id"`
	ToolCalls        []struct {
		ID       string          `json:"id"`
		Extra    json.RawMessage `json:"extra_content"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func decodeRequest(body []byte) (Request, error) {
	var wire wireRequest
	if err := json.Unmarshal(body, &wire); err != nil {
		return Request{}, fmt.Errorf("decode the request: %w", err)
	}
	req := Request{
		Model: wire.Model, Stream: wire.Stream, Temperature: wire.Temperature,
		MaxTokens: max(wire.MaxTokens, wire.MaxCompletionTokens), Body: body, Time: time.Now(),
	}
	if err := json.Unmarshal(body, &req.raw); err != nil {
		return Request{}, fmt.Errorf("decode the request: %w", err)
	}
	for i, m := range wire.Messages {
		message, err := decodeMessage(m)
		if err != nil {
			return Request{}, fmt.Errorf("messages[%d]: %w", i, err)
		}
		req.Messages = append(req.Messages, message)
	}
	for _, t := range wire.Tools {
		req.Tools = append(req.Tools, Tool{t.Function.Name, t.Function.Description, t.Function.Parameters})
	}
	return req, nil
}

func decodeMessage(m wireMessage) (Message, error) {
	text, images, err := decodeContent(m.Content)
	if err != nil {
		return Message{}, err
	}
	message := Message{
		Role: m.Role, Text: text, Images: images, Reasoning: m.ReasoningContent + m.Reasoning,
		ToolCallID: m.ToolCallID, Name: m.Name,
	}
	for _, c := range m.ToolCalls {
		message.ToolCalls = append(message.ToolCalls, Call{c.ID, c.Function.Name, c.Function.Arguments, c.Extra})
	}
	return message, nil
}

// decodeContent reads both shapes of content: a string, or an array of parts.
func decodeContent(raw json.RawMessage) (text string, images []string, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil, nil
	}
	if raw[0] == '"' {
		err = json.Unmarshal(raw, &text)
		return text, nil, err
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", nil, fmt.Errorf("content: %w", err)
	}
	var joined strings.Builder
	for _, part := range parts {
		switch part.Type {
		case "text":
			joined.WriteString(part.Text)
		case "image_url":
			images = append(images, part.ImageURL.URL)
		default:
			return "", nil, fmt.Errorf("content: unknown part type %q", part.Type)
		}
	}
	return joined.String(), images, nil
}
