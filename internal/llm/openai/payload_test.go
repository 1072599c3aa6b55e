package openai

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/llmsuite"
	"nanoclaw/internal/llm/llmtest"
)

// bodyFor is what a model of that endpoint would send.
func bodyFor(t *testing.T, base, name string, req llm.Request) map[string]json.RawMessage {
	t.Helper()
	srv := llmtest.NewServer(t)
	srv.On().Reply(llmtest.Text("fine"))
	m := newModel(config.Model{ID: name, BaseURL: base, APIKey: testKey}, llm.Info{}, llm.Options{})
	if m.broken != nil {
		t.Fatal(m.broken)
	}
	m.endpoint, _ = endpoint(srv.URL()) // another address, the same dialect
	if out := llmsuite.Collect(t, t.Context(), m, req); out.Err != nil {
		t.Fatal(out.Err)
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(srv.Requests()[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

func TestThePlainRequestHoldsNothingUnasked(t *testing.T) {
	t.Parallel()
	body := bodyFor(t, "http://localhost:8000/v1", "some-model", ask("x"))
	if got := slices.Sorted(maps.Keys(body)); !slices.Equal(got, []string{"messages", "model", "stream",
		"stream_options"}) {
		t.Errorf("fields %v", got)
	}
}

// TS7: images of results follow all results of their turn, which stays one turn.
func TestImagesOfResultsFollowTheResults(t *testing.T) {
	t.Parallel()
	images := []llm.Image{{MediaType: "image/png", Data: []byte("png")}}
	got := showResultImages([]llm.Message{
		{Role: llm.RoleUser, Text: "look"},
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1"}, {ID: "2"}}},
		{Role: llm.RoleTool, ToolCallID: "1", ToolName: "a", Images: images},
		{Role: llm.RoleTool, ToolCallID: "2", ToolName: "b"},
		{Role: llm.RoleAssistant, Text: "and", Reasoning: "a thought", ToolCalls: []llm.ToolCall{{ID: "3"}}},
		{Role: llm.RoleTool, ToolCallID: "3", ToolName: "c", Images: images},
	})
	var roles []string
	for _, m := range got {
		roles = append(roles, m.Role)
	}
	if want := []string{"user", "assistant", "tool", "tool", "user", "assistant", "tool", "user"}; !slices.Equal(roles,
		want) {
		t.Fatalf("%v, want %v", roles, want)
	}
	if len(got[4].Images) != 1 || !strings.Contains(got[4].Text, "1 of a") || !strings.Contains(got[7].Text, "1 of c") {
		t.Errorf("%+v", got)
	}
	m := New(config.Model{BaseURL: "http://h"}, llm.Info{}, llm.Options{}).(*Model)
	if replay := m.replays(got, fullReplay); len(replay) != 2 {
		t.Errorf("reasoning goes back for the messages %v", replay)
	}
}

func TestEveryPartOfARequestReachesTheServer(t *testing.T) {
	t.Parallel()
	srv, m := replying(t, llmtest.Text("fine"))
	cool := 0.0
	req := toolTurn()
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.RoleAssistant, Reasoning: "only reasoning, dropped"},
		llm.Message{Role: llm.RoleUser, Text: "what is <this> & that? 😀", Images: []llm.Image{{MediaType: "image/png",
			Data: []byte("png")}, {MediaType: "image/jpeg", Data: []byte("jpg")}}},
	)
	req.Messages[4].ToolCalls[0].Arguments = `{"path": "b` // a model broke it
	req.Tools = []llm.ToolDef{
		{Name: "file_read", Description: "reads",
			Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
		{Name: "now"},
	}
	req.Temperature, req.MaxTokens = &cool, 50
	if out := llmsuite.Collect(t, t.Context(), m, req); out.Err != nil {
		t.Fatal(out.Err)
	}
	got := srv.Requests()[0]
	if got.Model != "test-model" || got.System() != "be brief" || got.User() != "what is <this> & that? 😀" ||
		got.MaxTokens != 50 || got.Temperature == nil || *got.Temperature != 0 {
		t.Errorf("%+v", got)
	}
	if !slices.Equal(got.Last().Images, []string{"data:image/png;base64,cG5n", "data:image/jpeg;base64,anBn"}) {
		t.Errorf("images %v", got.Last().Images)
	}
	if len(got.Messages) != len(req.Messages)-1 {
		t.Errorf("%d messages", len(got.Messages))
	}
	call, result, broken := got.Messages[2].ToolCalls[0], got.Messages[3], got.Messages[4]
	if call.ID != "call_abc" || call.Name != "file_read" || call.Arguments != `{"path":"a"}` ||
		result.ToolCallID != "call_abc" || result.Text != `{"success":true}` {
		t.Errorf("call %+v, result %+v", call, result)
	}
	if broken.Text != "And the other." || broken.ToolCalls[0].Arguments != `{"invalid_arguments":"{\"path\": \"b"}` {
		t.Errorf("broken call %+v", broken)
	}
	if !slices.Equal(got.ToolNames(), []string{"file_read", "now"}) ||
		string(got.Tools[1].Parameters) != string(noParameters) {
		t.Errorf("tools %+v", got.Tools)
	}
}

func TestThinkingIsAskedForInTheProvidersWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ base, model, field, on, off string }{
		{"https://api.deepseek.com/v1", "deepseek-chat", "thinking", `{"type":"enabled"}`, `{"type":"disabled"}`},
		{"https://api.moonshot.cn/v1", "kimi-k2.5", "thinking", `{"type":"enabled"}`, `{"type":"disabled"}`},
		{"https://open.bigmodel.cn/api/paas/v4", "glm-4.7", "thinking", `{"type":"enabled"}`, `{"type":"disabled"}`},
		{"https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen3-max", "enable_thinking", `true`, `false`},
		{"https://api.openai.com/v1", "o4-mini", "reasoning_effort", `"medium"`, `"low"`},
		{"https://api.openai.com/v1", "gpt-5-mini", "reasoning_effort", `"medium"`, `"minimal"`},
		{"https://api.openai.com/v1", "gpt-5.2", "reasoning_effort", `"medium"`, `"none"`},
		{"https://api.openai.com/v1", "gpt-4o", "reasoning_effort", ``, ``},
		{"https://api.openai.com/v1", "gpt-5-chat-latest", "reasoning_effort", ``, ``},
		{"https://openrouter.ai/api/v1", "x/y", "reasoning", `{"enabled":true}`, `{"enabled":false}`},
		{"http://localhost:11434/v1", "qwen3:8b", "reasoning_effort", `"medium"`, `"none"`},
		{"http://gpu:8000/v1", "Qwen/Qwen3-32B", "chat_template_kwargs", `{"enable_thinking":true,"thinking":true}`,
			`{"enable_thinking":false,"thinking":false}`},
		{"http://gpu:8000/v1", "llama-3.3", "thinking", ``, ``},
	} {
		for want, thinking := range map[string]llm.Thinking{tt.on: llm.ThinkingOn, tt.off: llm.ThinkingOff} {
			req := ask("x")
			req.Thinking = thinking
			if got := string(bodyFor(t, tt.base, tt.model, req)[tt.field]); got != want && tt.on != tt.off {
				t.Errorf("%s %s, thinking %s: %s is %s, want %s", tt.base, tt.model, thinking, tt.field, got, want)
			}
		}
		if got := bodyFor(t, tt.base, tt.model, ask("x"))[tt.field]; got != nil {
			t.Errorf("%s %s: %s is sent unasked: %s", tt.base, tt.model, tt.field, got)
		}
	}
}

func TestTheEffortOfThinkingIsSaidWhereTheProviderKnowsIt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ base, model, field, low, high string }{
		{"https://api.openai.com/v1", "gpt-5.2", "reasoning_effort", `"low"`, `"high"`},
		{"https://openrouter.ai/api/v1", "x/y", "reasoning", `{"effort":"low"}`, `{"effort":"high"}`},
		{"http://gpu:8000/v1", "gpt-oss-120b", "reasoning_effort", `"low"`, `"high"`},
		{"https://api.deepseek.com/v1", "deepseek-chat", "thinking", `{"type":"enabled"}`, `{"type":"enabled"}`},
		{"https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen3-max", "enable_thinking", `true`, `true`},
	} {
		for thinking, want := range map[llm.Thinking]string{llm.ThinkingLow: tt.low, llm.ThinkingHigh: tt.high} {
			req := ask("x")
			req.Thinking = thinking
			if got := string(bodyFor(t, tt.base, tt.model, req)[tt.field]); got != want {
				t.Errorf("%s %s, thinking %s: %s is %s, want %s", tt.base, tt.model, thinking, tt.field, got, want)
			}
		}
	}
}

func TestOpenAIGetsMaxCompletionTokensAndOthersMaxTokens(t *testing.T) {
	t.Parallel()
	req := ask("x")
	req.MaxTokens = 9
	if body := bodyFor(t, "https://api.openai.com/v1", "gpt-4o", req); string(body["max_completion_tokens"]) != "9" ||
		body["max_tokens"] != nil {
		t.Errorf("OpenAI: %v", body)
	}
	if body := bodyFor(t, "http://gpu:8000/v1", "llama", req); string(body["max_tokens"]) != "9" ||
		body["max_completion_tokens"] != nil {
		t.Errorf("others: %v", body)
	}
}

// langchaingo treats these names in its own way: system messages into the user's,
// no temperature. The user's text must stay word for word.
func TestModelNamesThatLangchaingoKnowsAreSentPlainly(t *testing.T) {
	t.Parallel()
	warm := 0.7
	for _, name := range []string{"o1", "o3-mini", "gpt-5", "gpt-4"} {
		req := ask("my words")
		req.Temperature = &warm
		body := bodyFor(t, "http://gpu:8000/v1", name, req)
		want := `[{"role":"system","content":"be brief"},{"role":"user","content":"my words"}]`
		if string(body["messages"]) != want || string(body["temperature"]) != "0.7" || string(body["model"]) != `"`+
			name+`"` {
			t.Errorf("%s: %s %s", name, body["messages"], body["temperature"])
		}
	}
}

func TestReasoningIsReplayedInTurnsThatCallTools(t *testing.T) {
	t.Parallel()
	req := toolTurn()
	req.Messages = append([]llm.Message{
		{Role: llm.RoleUser, Text: "first"},
		{Role: llm.RoleAssistant, Text: "hello", Reasoning: "no tools in this turn"},
	}, req.Messages[1:]...)
	for base, replayed := range map[string]bool{"https://api.deepseek.com": true, "http://gpu:8000/v1": false} {
		var messages []struct {
			Reasoning *string `json:"reasoning_content"`
		}
		if err := json.Unmarshal(bodyFor(t, base, "deepseek-chat", req)["messages"], &messages); err != nil {
			t.Fatal(err)
		}
		for i, m := range messages {
			if want := replayed && i == 3; (m.Reasoning != nil) != want {
				t.Errorf("%s: message %d: %v", base, i, m.Reasoning)
			}
		}
	}
}

func TestGooglesSignaturesGoBackWithTheirCalls(t *testing.T) {
	t.Parallel()
	const google = "https://generativelanguage.googleapis.com/v1beta/openai"
	_, m := replying(t, llmtest.Calls(llmtest.Call{Name: "f", Arguments: "{}",
		Extra: json.RawMessage(`{"google":{"thought_signature":"sig"}}`)}))
	out := llmsuite.Collect(t, t.Context(), m, ask("x"))
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	history := ask("x")
	history.Messages = append(history.Messages,
		llm.Message{Role: llm.RoleAssistant, ToolCalls: out.Response.ToolCalls, Opaque: out.Response.Opaque},
		llm.Message{Role: llm.RoleTool, ToolCallID: out.Response.ToolCalls[0].ID, ToolName: "f", Text: "ok"})
	for _, tt := range []struct {
		base, model string
		opaque      json.RawMessage
		want        string
	}{
		{google, "gemini-3-pro", out.Response.Opaque, `{"google":{"thought_signature":"sig"}}`},
		{google, "gemini-3-pro", json.RawMessage(`["another provider's"]`), string(skipSignature)},
		{google, "gemini-2.5-flash", nil, ``},
		{"https://api.openai.com/v1", "gpt-4o", out.Response.Opaque, ``},
	} {
		history.Messages[2].Opaque = tt.opaque
		var messages []struct {
			Calls []struct {
				Extra json.RawMessage `json:"extra_content"`
			} `json:"tool_calls"`
		}
		if err := json.Unmarshal(bodyFor(t, tt.base, tt.model, history)["messages"], &messages); err != nil {
			t.Fatal(err)
		}
		if got := string(messages[2].Calls[0].Extra); got != tt.want {
			t.Errorf("%s with %s: %s", tt.model, tt.opaque, got)
		}
	}
}

func TestEveryShapeOfBaseURLLeadsToChatCompletions(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"":                             "https://api.openai.com/v1/chat/completions",
		"https://api.deepseek.com/v1":  "https://api.deepseek.com/v1/chat/completions",
		"https://api.deepseek.com/v1/": "https://api.deepseek.com/v1/chat/completions",
		"https://api.deepseek.com/v1/chat/completions": "https://api.deepseek.com/v1/chat/completions",
		"http://localhost:11434":                       "http://localhost:11434/v1/chat/completions",
		"https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21": "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
		"https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21":                  "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
	} {
		if u, err := endpoint(base); err != nil || u.String() != want {
			t.Errorf("%s: %v %v", base, u, err)
		}
	}
	for _, base := range []string{"localhost:11434", "ftp://x/v1", "://", "/v1"} {
		m := newModel(config.Model{ID: "broken", BaseURL: base}, llm.Info{}, llm.Options{})
		if out := llmsuite.Collect(t, t.Context(), m, ask("x")); out.Err == nil {
			t.Errorf("%s was accepted", base)
		}
	}
}
