package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/llmsuite"
	"nanoclaw/internal/llm/llmtest"
)

func TestARefusedFieldIsLeftOutAndRemembered(t *testing.T) {
	t.Parallel()
	warm := 0.3
	full := ask("x")
	full.Temperature, full.MaxTokens = &warm, 100
	for refused, instead := range map[string]string{
		"stream_options": "", "temperature": "", "max_tokens": "max_completion_tokens",
	} {
		t.Run(refused, func(t *testing.T) {
			t.Parallel()
			srv, m := replying(t, llmtest.Text("fine").Refusing(refused))
			for n := 1; n <= 2; n++ {
				if out := llmsuite.Collect(t, t.Context(), m, full); out.Err != nil || out.Text != "fine" {
					t.Fatalf("%q %v", out.Text, out.Err)
				}
				if srv.Calls() != 1+n {
					t.Errorf("%d requests after %d streams", srv.Calls(), n)
				}
			}
			requests := srv.Requests()
			if requests[0].Field(refused) == nil || requests[1].Field(refused) != nil ||
				requests[2].Field(refused) != nil {
				t.Errorf("%s was not sent first and left out then", refused)
			}
			if instead != "" && string(requests[2].Field(instead)) != "100" {
				t.Errorf("%s is %s", instead, requests[2].Field(instead))
			}
		})
	}
}

func TestBothNamesOfMaxTokensCanBeRefused(t *testing.T) {
	t.Parallel()
	srv, m := replying(t, llmtest.Text("fine").Refusing("max_tokens", "max_completion_tokens", "stream_options"))
	req := ask("x")
	req.MaxTokens = 100
	if out := llmsuite.Collect(t, t.Context(), m, req); out.Err != nil || out.Text != "fine" {
		t.Errorf("%q %v", out.Text, out.Err)
	}
	if n := srv.Calls(); n != 4 {
		t.Errorf("%d requests", n)
	}
}

func TestARefusalThatNothingCanMendIsAnError(t *testing.T) {
	t.Parallel()
	srv, m := replying(t, llmtest.Text("x").Refusing("messages"))
	if out := llmsuite.Collect(t, t.Context(), m, ask("x")); out.Err == nil || srv.Calls() != 1 {
		t.Errorf("%v after %d requests", out.Err, srv.Calls())
	}
	always := llmtest.Failure(400, "Unsupported parameter: 'temperature'")
	srv, m = replying(t, always)
	warm := 1.0
	req := ask("x")
	req.Temperature = &warm
	if out := llmsuite.Collect(t, t.Context(), m, req); out.Err == nil || srv.Calls() != 2 {
		t.Errorf("%v after %d requests", out.Err, srv.Calls())
	}
}

// The words are those of real providers.
func TestRefusalsAreUnderstood(t *testing.T) {
	t.Parallel()
	sent := map[string]bool{
		"stream_options": true, "temperature": true, "max_tokens": true, "reasoning_effort": true, "messages": true,
		"system": true,
	}
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   quirk
	}{
		{"OpenAI, o-series temperature", 400,
			`{"error":{"message":"Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.","param":"temperature","code":"unsupported_value"}}`, noTemperature},
		{"Moonshot temperature", 400,
			`{"error":{"message":"invalid temperature: only 1 is allowed for this model","type":"invalid_request_error"}}`, noTemperature},
		{"OpenAI, max_tokens", 400,
			`{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}`, otherMaxTokens},
		{"Mistral, extra fields", 422,
			`{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}}`, noStreamOptions},
		{"several at once", 400, `{"detail":"Unknown fields: stream_options, temperature"}`,
			noStreamOptions | noTemperature},
		{"Ollama, thinking", 400, `{"error":{"message":"\"gemma3:4b\" does not support thinking"}}`, noThinking},
		{"OpenAI, effort", 400,
			`{"error":{"message":"Unsupported value: 'reasoning_effort' does not support 'none' with this model."}}`,
			noThinking},
		{"DeepSeek, replay", 400,
			`{"error":{"message":"The reasoning_content in the thinking mode must be passed back to the API."}}`,
			fullReplay},
		{"Moonshot, replay", 400,
			`{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"}}`, fullReplay},
		{"OpenAI, system", 400,
			`{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model."}}`,
			systemInUser},
		{"vLLM template, system", 400, `{"message":"System role not supported"}`, systemInUser},
		{"Mistral, ids", 400, `{"message":"Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9."}`,
			shortIDs},
		{"a limit, not a refusal", 400,
			`{"error":{"message":"max_tokens is too large: 9000. This model supports at most 4096 completion tokens"}}`,
			0},
		{"another status", 500, `unsupported temperature`, 0},
		{"a field that was not sent", 400, `Unsupported parameter: 'top_p'`, 0},
		{"a longer name", 400, `Unsupported parameter: 'temperature_scale'`, 0},
	} {
		if got := refusal(tt.status, []byte(tt.body), sent); got != tt.want {
			t.Errorf("%s: %b, want %b", tt.name, got, tt.want)
		}
	}
}

func TestAProviderThatInsistsOnReasoningGetsIt(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	srv.On().Sequence(llmtest.Failure(400,
		"Missing `reasoning_content` field in the assistant message at message index 2."), llmtest.Text("fine"))
	m := testModel(srv)
	if out := llmsuite.Collect(t, t.Context(), m, toolTurn()); out.Err != nil || out.Text != "fine" {
		t.Fatalf("%q %v", out.Text, out.Err)
	}
	var body struct{ Messages []map[string]json.RawMessage }
	if err := json.Unmarshal(srv.Requests()[1].Body, &body); err != nil {
		t.Fatal(err)
	}
	if got := string(body.Messages[2]["reasoning_content"]); got != `"I need the file."` {
		t.Errorf("reasoning_content %s", got)
	}
	if got := string(body.Messages[4]["reasoning_content"]); got != `""` {
		t.Errorf("reasoning_content of a message without reasoning: %s", got)
	}
	if _, ok := srv.Requests()[0].Messages[2], srv.Requests()[0].Messages[2].Reasoning == ""; !ok {
		t.Error("reasoning was sent unasked")
	}
}

func TestASystemMessageIsFoldedIntoTheUsersWhereItIsRefused(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	srv.On().Sequence(llmtest.Failure(400, "System role not supported"), llmtest.Text("fine"))
	m := testModel(srv)
	if out := llmsuite.Collect(t, t.Context(), m, ask("my question")); out.Err != nil {
		t.Fatal(out.Err)
	}
	if got := srv.Requests()[1]; got.System() != "" || got.User() != "be brief\n\nmy question" {
		t.Errorf("system %q, user %q", got.System(), got.User())
	}
}

func TestLongIDsAreShortenedWhereTheyAreRefused(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	srv.On().Sequence(llmtest.Failure(400, "Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9."),
		llmtest.Text("fine"))
	m := testModel(srv, func(c *config.Model) {})
	if out := llmsuite.Collect(t, t.Context(), m, toolTurn()); out.Err != nil {
		t.Fatal(out.Err)
	}
	sent := srv.Requests()[1].Messages
	id := sent[2].ToolCalls[0].ID
	if len(id) != 9 || strings.ContainsAny(id, "_-") || sent[3].ToolCallID != id || sent[4].ToolCalls[0].ID == id {
		t.Errorf("call %q, result %q, other %q", id, sent[3].ToolCallID, sent[4].ToolCalls[0].ID)
	}
}

// toolTurn is a turn with two steps of tool calls.
func toolTurn() llm.Request {
	return llm.Request{Messages: []llm.Message{
		{Role: llm.RoleSystem, Text: "be brief"},
		{Role: llm.RoleUser, Text: "read both"},
		{Role: llm.RoleAssistant, Reasoning: "I need the file.", ToolCalls: []llm.ToolCall{{ID: "call_abc",
			Name: "file_read", Arguments: `{"path":"a"}`}}},
		{Role: llm.RoleTool, ToolCallID: "call_abc", ToolName: "file_read", Text: `{"success":true}`},
		{Role: llm.RoleAssistant, Text: "And the other.", ToolCalls: []llm.ToolCall{{ID: "call_def", Name: "file_read",
			Arguments: `{"path":"b"}`}}},
		{Role: llm.RoleTool, ToolCallID: "call_def", ToolName: "file_read", Text: `{"success":true}`},
	}}
}
