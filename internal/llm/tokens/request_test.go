package tokens

import (
	"encoding/json"
	"testing"

	"nanoclaw/internal/llm"
)

func TestEveryPartOfARequestCosts(t *testing.T) {
	t.Parallel()
	plain := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "hello there"}}}
	base := CountRequest(plain)
	grown := map[string]llm.Request{
		"text":      {Messages: []llm.Message{{Role: llm.RoleUser, Text: "hello there, and good morning"}}},
		"message":   {Messages: append([]llm.Message{{Role: llm.RoleSystem}}, plain.Messages...)},
		"image":     {Messages: []llm.Message{{Role: llm.RoleUser, Text: "hello there", Images: []llm.Image{{}}}}},
		"reasoning": {Messages: []llm.Message{{Role: llm.RoleUser, Text: "hello there", Reasoning: "hm"}}},
		"opaque": {Messages: []llm.Message{{Role: llm.RoleUser, Text: "hello there",
			Opaque: json.RawMessage(`[1]`)}}},
		"call": {Messages: []llm.Message{{Role: llm.RoleUser, Text: "hello there",
			ToolCalls: []llm.ToolCall{{Name: "f"}}}}},
		"result": {Messages: []llm.Message{{Role: llm.RoleUser, Text: "hello there", ToolCallID: "1"}}},
		"tool":   {Messages: plain.Messages, Tools: []llm.ToolDef{{Name: "f"}}},
	}
	for part, req := range grown {
		if got := CountRequest(req); got <= base {
			t.Errorf("%s: %d tokens with it, %d without", part, got, base)
		}
	}
}

func TestUsageIsMarkedAsAnEstimateAndAddsUp(t *testing.T) {
	t.Parallel()
	req := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "what is 1+1?"}}}
	resp := llm.Response{
		Text: "I ask the calculator.", Reasoning: "An addition.",
		ToolCalls: []llm.ToolCall{{Name: "calculator", Arguments: `{"expression":"1+1"}`}},
	}
	got := Usage(req, resp)
	if !got.Estimated {
		t.Error("not marked as an estimate")
	}
	if got.PromptTokens != CountRequest(req) || got.TotalTokens != got.PromptTokens+got.CompletionTokens {
		t.Errorf("does not add up: %+v", got)
	}
	if got.ReasoningTokens == 0 || got.CompletionTokens <= got.ReasoningTokens+Count(resp.Text) {
		t.Errorf("reasoning or tool calls are not counted: %+v", got)
	}
}
