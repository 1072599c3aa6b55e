package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

type chatRequest struct {
	Model         string        `json:"model"`
	Messages      []chatMessage `json:"messages"`
	Stream        bool          `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools               []chatTool      `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	Temperature         *float64        `json:"temperature"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	N                   *int            `json:"n"`
	ReasoningEffort     string          `json:"reasoning_effort"`
	ResponseFormat      *struct {
		Type string `json:"type"`
	} `json:"response_format"`
	Metadata map[string]any `json:"metadata"`
}

type chatMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []chatCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

type chatCall struct {
	Index    *int   `json:"index,omitempty"` // in a stream
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type chatTool struct {
	Type     string            `json:"type"`
	Function models.ClientTool `json:"function"`
}

// asked translates the request.
func (c *chatRequest) asked(r *http.Request) (asked, error) {
	if c.N != nil && *c.N != 1 {
		return asked{}, wrong("n", "there is one answer to a request: leave n out")
	}
	if c.ResponseFormat != nil && c.ResponseFormat.Type != "text" {
		return asked{}, wrong("response_format", "answers are text: leave response_format out, and say in the prompt "+
			"which form the answer should have")
	}
	req := asked{model: c.Model, wait: waits(r, c.Metadata), conversationID: metadata(c.Metadata, "conversation_id")}
	req.start = runs.StartRequest{Temperature: c.Temperature, MaxTokens: max(c.MaxTokens, c.MaxCompletionTokens),
		Thinking: thinking(c.ReasoningEffort), ProjectID: metadata(c.Metadata, "project_id")}
	if err := checkSampling(c.Temperature, req.start.MaxTokens); err != nil {
		return asked{}, err
	}
	var list []models.ClientTool
	for i, tool := range c.Tools {
		if tool.Type != "function" {
			return asked{}, wrong(fmt.Sprintf("tools[%d].type", i), "only tools of type function are taken")
		}
		list = append(list, tool.Function)
	}
	var err error
	if req.start.ClientTools, err = chosenTools(list, c.ToolChoice); err != nil {
		return asked{}, err
	}
	if len(c.Messages) == 0 {
		return asked{}, wrong("messages", "there are no messages")
	}
	for i, message := range c.Messages {
		made, err := message.turn(fmt.Sprintf("messages[%d]", i))
		if err != nil {
			return asked{}, err
		}
		req.messages = append(req.messages, made)
	}
	return req, nil
}

func (m chatMessage) turn(param string) (turn.Message, error) {
	made := turn.Message{Role: m.Role, CallID: m.ToolCallID}
	switch m.Role {
	case "developer":
		made.Role = turn.System
	case turn.System, turn.User, turn.Assistant:
	case turn.Tool:
		if m.ToolCallID == "" {
			return made, wrong(param+".tool_call_id", "say which call this is the result of")
		}
	default:
		return made, wrong(param+".role", fmt.Sprintf("%q is no role: use system, developer, user, assistant or tool",
			m.Role))
	}
	for _, call := range m.ToolCalls {
		made.Calls = append(made.Calls, tools.Invocation{ID: call.ID, Name: call.Function.Name,
			Arguments: call.Function.Arguments})
	}
	return made, readContent(m.Content, param+".content", &made)
}

// waits says whether the answer stays open while a call needs an approval.
func waits(r *http.Request, given map[string]any) bool {
	return strings.EqualFold(r.Header.Get(ApprovalHeader), "wait") || metadata(given, "approval") == "wait"
}

func metadata(given map[string]any, key string) string {
	text, _ := given[key].(string)
	return text
}

func thinking(effort string) *string {
	wanted := ""
	switch effort {
	case "":
		return nil
	case "none", "minimal":
		wanted = "off"
	case "low", "medium", "high":
		wanted = effort
	default:
		wanted = "on"
	}
	return &wanted
}

func checkSampling(temperature *float64, maxTokens int) error {
	if temperature != nil && (*temperature < 0 || *temperature > 2) {
		return wrong("temperature", "the temperature must be from 0 to 2")
	}
	if maxTokens < 0 {
		return wrong("max_tokens", "the number of tokens must be positive")
	}
	return nil
}

// chosenTools are the tools that a tool_choice leaves. An agent cannot be made to call
// a tool.
func chosenTools(list []models.ClientTool, choice json.RawMessage) ([]models.ClientTool, error) {
	var word string
	if len(choice) == 0 || string(choice) == "null" {
		return list, nil
	}
	if json.Unmarshal(choice, &word) == nil {
		switch word {
		case "auto", "":
			return list, nil
		case "none":
			return nil, nil
		}
	}
	return nil, wrong("tool_choice", "an agent chooses its tools itself: send auto or none")
}
