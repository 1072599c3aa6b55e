package peer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Message is one message of the OpenAI chat format.
type Message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCalls  []Call `json:"tool_calls,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// Call is a tool call, or a part of one in a chunk of a stream.
type Call struct {
	Index    int    `json:"index"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

var tools = []any{map[string]any{"type": "function", "function": map[string]any{
	"name": Tool, "description": ToolDescription, "parameters": ToolSchema}}}

// Ask streams one answer of the model.
func Ask(ctx context.Context, messages []Message) (Message, error) {
	answer := Message{Role: "assistant"}
	body, err := json.Marshal(map[string]any{"model": "m", "stream": true, "messages": messages, "tools": tools})
	if err != nil {
		return answer, err
	}
	request, err := http.NewRequestWithContext(ctx, "POST", ModelURL()+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return answer, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		return answer, fmt.Errorf("%s: %s", response.Status, text)
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		if err := answer.add(data); err != nil {
			return answer, err
		}
	}
	return answer, lines.Err()
}

func (m *Message) add(data string) error {
	var chunk struct {
		Choices []struct {
			Delta Message `json:"delta"`
		} `json:"choices"`
	}
	if err := json.Unmarshal([]byte(data), &chunk); err != nil {
		return err
	}
	for _, choice := range chunk.Choices {
		m.Content += choice.Delta.Content
		for _, part := range choice.Delta.ToolCalls {
			if part.Index == len(m.ToolCalls) {
				m.ToolCalls = append(m.ToolCalls, Call{Index: part.Index, ID: part.ID, Type: part.Type})
			}
			if part.Index < 0 || part.Index >= len(m.ToolCalls) {
				return fmt.Errorf("tool call %d of %d", part.Index, len(m.ToolCalls))
			}
			call := &m.ToolCalls[part.Index]
			call.Function.Name += part.Function.Name
			call.Function.Arguments += part.Function.Arguments
		}
	}
	return nil
}

// Loop is the loop that a Go program would write by hand: it asks the model and
// runs the tools, in parallel, until the model calls none.
func Loop(ctx context.Context, calculate func(arguments string) (string, error)) (string, error) {
	messages := []Message{{Role: "user", Content: Prompt}}
	for {
		answer, err := Ask(ctx, messages)
		if err != nil || len(answer.ToolCalls) == 0 {
			return answer.Content, err
		}
		results := make([]Message, len(answer.ToolCalls))
		var group errgroup.Group
		for i, call := range answer.ToolCalls {
			group.Go(func() error {
				text, err := calculate(call.Function.Arguments)
				results[i] = Message{Role: "tool", Content: text, ToolCallID: call.ID}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return "", err
		}
		messages = append(append(messages, answer), results...)
	}
}
