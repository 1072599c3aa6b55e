package anthropictest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Request is a request as it came.
type Request struct {
	Header http.Header `json:"-"`
	Body   []byte      `json:"-"`
	Remote string      `json:"-"` // address of the caller's connection

	Model       string    `json:"model"`
	MaxTokens   int       `json:"max_tokens"`
	Stream      bool      `json:"stream"`
	Temperature *float64  `json:"temperature"`
	System      []Content `json:"system"`
	Messages    []Message `json:"messages"`
	Tools       []Tool    `json:"tools"`
	ToolChoice  *struct {
		Type string `json:"type"`
	} `json:"tool_choice"`
	OutputConfig struct {
		Effort string `json:"effort"`
	} `json:"output_config"`
	Thinking *struct {
		Type         string `json:"type"`
		BudgetTokens int    `json:"budget_tokens"`
		Display      string `json:"display"`
	} `json:"thinking"`
}

// Message is one turn of a request.
type Message struct {
	Role    string    `json:"role"`
	Content []Content `json:"content"`
}

// Content is one block of a turn, whatever its type.
type Content struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	Thinking     string          `json:"thinking"`
	Signature    string          `json:"signature"`
	Data         string          `json:"data"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	IsError      bool            `json:"is_error"`
	Content      []Content       `json:"content"`
	Source       *Source         `json:"source"`
	CacheControl *struct {
		Type string `json:"type"`
	} `json:"cache_control"`
}

// Source is an image.
type Source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

// Tool is a tool that is offered.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

var (
	idPattern   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	namePattern = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
)

// Complaint is why the API would refuse the request; "" is never.
func (r Request) Complaint() string {
	switch {
	case r.Model == "":
		return "model: field required"
	case r.MaxTokens < 1:
		return "max_tokens: field required"
	case !r.Stream:
		return "stream: the tests ask for streams only"
	case len(r.Messages) == 0:
		return "messages: at least one message is required"
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 1):
		return "temperature: range: 0..1"
	}
	for _, check := range []func() string{r.thinking, r.tools, r.turns, r.cache} {
		if complaint := check(); complaint != "" {
			return complaint
		}
	}
	return ""
}

func (r Request) thinking() string {
	if r.Thinking == nil || r.Thinking.Type == "disabled" {
		return ""
	}
	switch {
	case r.Temperature != nil && *r.Temperature != 1:
		return "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode."
	case r.Thinking.Type == "enabled" && r.Thinking.BudgetTokens < 1024:
		return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
	case r.Thinking.Type == "enabled" && r.Thinking.BudgetTokens >= r.MaxTokens:
		return "`max_tokens` must be greater than `thinking.budget_tokens`."
	}
	return r.loopThinks()
}

// loopThinks: in a loop of tools that thinks by budget, the last assistant turn
// begins with its thinking.
func (r Request) loopThinks() string {
	if r.Thinking.Type != "enabled" || len(r.Messages) < 2 {
		return ""
	}
	last := r.Messages[len(r.Messages)-1]
	before := r.Messages[len(r.Messages)-2]
	if before.Role != "assistant" || len(last.Content) == 0 || last.Content[0].Type != "tool_result" {
		return ""
	}
	if kind := before.Content[0].Type; kind != "thinking" && kind != "redacted_thinking" {
		return "messages." + fmt.Sprint(len(r.Messages)-2) +
			".content.0.type: Expected `thinking` or `redacted_thinking`, but found `" + kind + "`."
	}
	return ""
}

func (r Request) tools() string {
	seen := map[string]bool{}
	for i, tool := range r.Tools {
		var schema struct {
			Type string `json:"type"`
		}
		switch {
		case !namePattern.MatchString(tool.Name):
			return fmt.Sprintf("tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", i)
		case seen[tool.Name]:
			return "tools: Tool names must be unique."
		case json.Unmarshal(tool.InputSchema, &schema) != nil || schema.Type != "object":
			return fmt.Sprintf("tools.%d.custom.input_schema.type: Field required", i)
		}
		seen[tool.Name] = true
	}
	if len(r.Tools) > 0 {
		return ""
	}
	for _, message := range r.Messages {
		for _, block := range message.Content {
			if block.Type == "tool_use" || block.Type == "tool_result" {
				return "Requests which include `tool_use` or `tool_result` blocks must define tools"
			}
		}
	}
	return ""
}

// turns checks roles, blocks and the pairs of calls and results.
func (r Request) turns() string {
	if r.Messages[0].Role != "user" {
		return "messages: first message must use the \"user\" role"
	}
	if r.Messages[len(r.Messages)-1].Role != "user" {
		return "This model does not support assistant message prefill. The conversation must end with a user message."
	}
	var open []string
	used := map[string]bool{}
	for i, message := range r.Messages {
		if i > 0 && message.Role == r.Messages[i-1].Role {
			return fmt.Sprintf(
				"messages: roles must alternate between \"user\" and \"assistant\", but found multiple %q "+
					"roles in a row", message.Role)
		}
		if len(message.Content) == 0 {
			return fmt.Sprintf("messages.%d: all messages must have non-empty content", i)
		}
		if complaint := message.blocks(i, open); complaint != "" {
			return complaint
		}
		open = nil
		for _, block := range message.Content {
			if block.Type != "tool_use" {
				continue
			}
			if used[block.ID] {
				return fmt.Sprintf("messages.%d: `tool_use` ids must be unique", i)
			}
			used[block.ID] = true
			open = append(open, block.ID)
		}
	}
	return ""
}

func (m Message) blocks(i int, open []string) string {
	var answered []string
	texts := false
	for j, block := range m.Content {
		at := fmt.Sprintf("messages.%d.content.%d", i, j)
		switch block.Type {
		case "text":
			if strings.TrimSpace(block.Text) == "" {
				return at + ".text: text content blocks must contain non-whitespace text"
			}
			texts = true
		case "tool_use":
			if m.Role != "assistant" || !idPattern.MatchString(block.ID) {
				return at + ".tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
			}
			if len(block.Input) == 0 || block.Input[0] != '{' {
				return at + ".tool_use.input: Input should be a valid dictionary"
			}
		case "tool_result":
			if !slices.Contains(open, block.ToolUseID) || slices.Contains(answered, block.ToolUseID) {
				return at + ": unexpected `tool_use_id` found in `tool_result` blocks: " + block.ToolUseID
			}
			if texts {
				return at + ": `tool_result` blocks must come before text"
			}
			answered = append(answered, block.ToolUseID)
		case "thinking":
			if m.Role != "assistant" || block.Signature == "" || strings.HasPrefix(block.Signature, "bad") {
				return at + ": Invalid `signature` in `thinking` block"
			}
		case "redacted_thinking", "image":
		default:
			return at + ": unknown type " + block.Type
		}
	}
	if len(answered) < len(open) {
		return fmt.Sprintf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after", i-1)
	}
	return ""
}

func (r Request) cache() string {
	marks := 0
	count := func(blocks []Content) {
		for _, block := range blocks {
			if block.CacheControl != nil {
				marks++
			}
		}
	}
	count(r.System)
	for _, message := range r.Messages {
		count(message.Content)
	}
	if marks > 4 {
		return "A maximum of 4 blocks with cache_control may be provided."
	}
	for i, block := range r.System {
		if strings.TrimSpace(block.Text) == "" {
			return fmt.Sprintf("system.%d: text content blocks must be non-empty", i)
		}
	}
	return ""
}
