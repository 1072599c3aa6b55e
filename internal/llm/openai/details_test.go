package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/llmsuite"
)

// LM4: reasoning_details (OpenRouter; thought signatures of Gemini 3) go back with
// the tool calls that they led to: texts that came in pieces are whole, everything
// else is as it came. A provider that refuses them is not sent them again.
func TestReasoningDetailsGoBackWithTheToolCalls(t *testing.T) {
	t.Parallel()
	stream := []string{
		`{"role":"assistant","reasoning":"I ","reasoning_details":[{"type":"reasoning.text","text":"I ","format":"anthropic-claude-v1","index":0,"signature":null}]}`,
		`{"reasoning":"look","reasoning_details":[{"type":"reasoning.text","text":"look","format":"anthropic-claude-v1","index":0}]}`,
		`{"reasoning_details":[{"type":"reasoning.text","signature":"sig","format":"anthropic-claude-v1","index":0}]}`,
		`{"reasoning_details":[{"type":"reasoning.summary","summary":"sum","index":1},null]}`,
		`{"reasoning_details":{"not":"a list"}}`,
		`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}],` +
			`"reasoning_details":[{"type":"reasoning.encrypted","data":"AAA=","id":"call_1","format":"google-gemini-v1","index":0}]}`,
		`{"reasoning_details":[{"type":"reasoning.encrypted","data":"BBB=","id":"call_2","format":"google-gemini-v1","index":0}]}`,
	}
	const want = `[{"format":"anthropic-claude-v1","index":0,"signature":"sig","text":"I look","type":"reasoning.text"},` +
		`{"index":1,"summary":"sum","type":"reasoning.summary"},` +
		`{"data":"AAA=","format":"google-gemini-v1","id":"call_1","index":0,"type":"reasoning.encrypted"},` +
		`{"data":"BBB=","format":"google-gemini-v1","id":"call_2","index":0,"type":"reasoning.encrypted"}]`
	var bodies []string
	refuse := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct {
				Details json.RawMessage `json:"reasoning_details"`
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		var details []string
		for _, message := range body.Messages {
			details = append(details, string(message.Details))
		}
		bodies = append(bodies, strings.Join(details, ";"))
		if refuse && strings.Contains(bodies[len(bodies)-1], "reasoning") {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"message":"Unknown field: messages.2.reasoning_details"}}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, delta := range stream {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", delta)
		}
		fmt.Fprint(w,
			"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	m := newModel(config.Model{ID: "m", Model: "google/gemini-3-pro", BaseURL: server.URL, APIKey: testKey},
		llm.Info{ID: "m", Model: "google/gemini-3-pro"}, llm.Options{})
	first := llmsuite.Collect(t, t.Context(), m, ask("x"))
	if first.Err != nil {
		t.Fatal(first.Err)
	}
	if first.Response.Reasoning != "I look" || len(first.Response.ToolCalls) != 1 {
		t.Errorf("response %+v", first.Response)
	}
	history := ask("x")
	history.Messages = append(history.Messages,
		llm.Message{Role: llm.RoleAssistant, ToolCalls: first.Response.ToolCalls, Reasoning: first.Response.Reasoning,
			Opaque: first.Response.Opaque},
		llm.Message{Role: llm.RoleTool, ToolCallID: "call_1", ToolName: "f", Text: "ok"},
		llm.Message{Role: llm.RoleAssistant, Text: "said by another provider",
			Opaque: json.RawMessage(`["something else"]`)},
		llm.Message{Role: llm.RoleUser, Text: "go on"})
	for i := range 3 {
		refuse = i > 0
		if out := llmsuite.Collect(t, t.Context(), m, history); out.Err != nil {
			t.Fatal(out.Err)
		}
	}
	const none = ";;;;;"
	for i, expected := range []string{";", ";;" + want + ";;;", ";;" + want + ";;;", none, none} {
		if i >= len(bodies) || bodies[i] != expected {
			t.Fatalf("request %d sent the details %q, want %q", i, bodies, expected)
		}
	}
}
