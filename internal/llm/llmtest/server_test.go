package llmtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
)

// ask posts a streaming request of one user message and returns status and body.
func ask(t *testing.T, ctx context.Context, srv *llmtest.Server, text string, more ...map[string]any) (int, string) {
	t.Helper()
	messages := []map[string]any{{"role": "system", "content": "be brief"}, {"role": "user", "content": text}}
	body, err := json.Marshal(map[string]any{
		"model": "test-model", "stream": true, "messages": append(messages, more...),
		"stream_options": map[string]any{"include_usage": true},
	})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL()+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, string(answer) + err.Error()
	}
	return resp.StatusCode, string(answer)
}

func TestARuleAnswersTheRequestsItMatchesStepByStep(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	srv.On(llmtest.UserContains("weather")).Steps(
		llmtest.Calls(llmtest.Call{Name: "get_weather", Arguments: `{"city":"Paris"}`}),
		llmtest.Text("It said {{last}}"),
	)
	status, first := ask(t, t.Context(), srv, "the weather?")
	if status != http.StatusOK || !strings.Contains(first, `"name":"get_weather"`) || !strings.Contains(first,
		"data: [DONE]") {
		t.Fatalf("first step: %d %s", status, first)
	}
	_, second := ask(t, t.Context(), srv, "the weather?",
		map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{
			"id": "a", "type": "function", "function": map[string]any{"name": "get_weather", "arguments": "{}"}}}},
		map[string]any{"role": "tool", "tool_call_id": "a", "content": "sunny"})
	if !strings.Contains(second, "sunny") {
		t.Fatalf("second step: %s", second)
	}
	requests := srv.Requests(llmtest.HasToolResults())
	if len(requests) != 1 || requests[0].ToolResults()[0].ToolCallID != "a" || requests[0].System() != "be brief" {
		t.Fatalf("recorded: %+v", requests)
	}
}

func TestARequestThatNoRuleMatchesIsAClearClientError(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	srv.On(llmtest.User("other")).Reply(llmtest.Text("x"))
	status, body := ask(t, t.Context(), srv, "hello")
	if status != http.StatusBadRequest || !strings.Contains(body, "no rule matches") || !strings.Contains(body,
		"hello") {
		t.Fatalf("%d %s", status, body)
	}
	if len(srv.Unmatched()) != 1 {
		t.Fatalf("unmatched: %d", len(srv.Unmatched()))
	}
}

func TestAGateHoldsRepliesAndTheHighestConcurrencyIsCounted(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	gate := llmtest.NewGate()
	srv.On(llmtest.UserContains("held")).Reply(llmtest.Text("ok").At(gate))
	srv.Default().Reply(llmtest.Text("free"))
	done := make(chan int, 3)
	for range 3 {
		go func() {
			status, _ := ask(t, t.Context(), srv, "held")
			done <- status
		}()
	}
	for range 3 {
		<-gate.Reached()
	}
	ask(t, t.Context(), srv, "not this one")
	if n := srv.InFlight(); n != 3 {
		t.Errorf("in flight: %d", n)
	}
	gate.Release()
	for range 3 {
		if status := <-done; status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
	if err := srv.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all, held := srv.MaxInFlight(), srv.MaxInFlight(llmtest.User("held")); all != 4 || held != 3 {
		t.Errorf("highest: %d in all, %d held", all, held)
	}
	if n := srv.MaxInFlight(llmtest.User("nobody")); n != 0 {
		t.Errorf("highest of nobody: %d", n)
	}
}

func TestAClientThatLeavesIsCountedAsAbandoned(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	srv.On().Reply(llmtest.Text("never").With(llmtest.Hang))
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		ask(t, ctx, srv, "x")
	}()
	if err := srv.WaitCalls(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-left
	if err := srv.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if srv.Abandoned() != 1 {
		t.Errorf("abandoned: %d", srv.Abandoned())
	}
}

func TestASequenceGoesOnWithEachRequest(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	rule := srv.On().Sequence(llmtest.Failure(429, "slow down").WithHeader("Retry-After", "7"), llmtest.Text("ok"))
	if status, body := ask(t, t.Context(), srv, "x"); status != 429 || !strings.Contains(body, "slow down") {
		t.Errorf("first: %d %s", status, body)
	}
	if status, _ := ask(t, t.Context(), srv, "x"); status != 200 {
		t.Errorf("second: %d", status)
	}
	if rule.Calls() != 2 {
		t.Errorf("calls: %d", rule.Calls())
	}
}

func TestAScriptFileAnswersLikeRulesInGo(t *testing.T) {
	t.Parallel()
	script, err := llmtest.Load(strings.NewReader(`{"models": ["m1"], "rules": [
		{"when": {"user_matches": "^add \\d+", "not": {"has_tool_results": true}},
		 "reply": {"calls": [{"name": "calculator", "arguments": {"expression": "{{user}}"}}], "faults": ["type_missing"]}},
		{"when": {"user": "crash"}, "sequence": [{"status": 503}, {"text": "again", "between": "1ms"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := llmtest.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	srv.Use(script)
	if _, body := ask(t, t.Context(), srv, "add 12"); !strings.Contains(body, ` 12\"}"`) || strings.Contains(body,
		`"type"`) {
		t.Errorf("add: %s", body)
	}
	if status, _ := ask(t, t.Context(), srv, "crash"); status != 503 {
		t.Errorf("crash: %d", status)
	}
	if status, body := ask(t, t.Context(), srv, "crash"); status != 200 || !strings.Contains(body, "again") {
		t.Errorf("crash again: %d %s", status, body)
	}
	resp, err := http.Get(srv.URL() + "/models")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); !strings.Contains(string(body), `"m1"`) {
		t.Errorf("models: %s", body)
	}
}

func TestABadScriptIsRefusedWithItsPlace(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		`{"rules":[{"reply":{"txt":"x"}}]}`:                           "txt",
		`{"rules":[{"reply":{"text":"x","faults":["nope"]}}]}`:        "rules[0]: unknown fault",
		`{"rules":[{"when":{"user":"x"}}]}`:                           "rules[0]: needs one of",
		`{"rules":[{"when":{"user_matches":"("},"reply":{}}]}`:        "user_matches",
		`{"rules":[{"reply":{"text":"x","first_byte":"soon"}}]}`:      "soon",
		`{"rules":[{"reply":{"text":"x"},"steps":[{"text":"other"}]}`: "unexpected EOF",
	} {
		if _, err := llmtest.Load(strings.NewReader(script)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
	}
}

func TestChunksComeLateAndInPieces(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	srv.On().Reply(llmtest.Text("one two three").WithThinking("hm").After(time.Millisecond, time.Millisecond))
	_, body := ask(t, t.Context(), srv, "x")
	for _, want := range []string{`"content":"one "`, `"content":"two "`, `"content":"three"`,
		`"reasoning_content":"hm"`, `"usage":{"prompt_tokens"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
}

func TestTheDefaultRuleIsAskedLastAndResetForgetsAll(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	srv.Default().Reply(llmtest.Text("default"))
	srv.On(llmtest.User("special")).Reply(llmtest.Text("matched"))
	if _, body := ask(t, t.Context(), srv, "special"); !strings.Contains(body, "matched") {
		t.Errorf("special: %s", body)
	}
	if _, body := ask(t, t.Context(), srv, "other"); !strings.Contains(body, "default") {
		t.Errorf("other: %s", body)
	}
	srv.Reset()
	if status, _ := ask(t, t.Context(), srv, "special"); status != http.StatusBadRequest || srv.Calls() != 1 {
		t.Errorf("after a reset: %d, %d calls", status, srv.Calls())
	}
}

func TestOnlyTheLastRequestsAreKeptWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	srv.Keep(5)
	srv.On().Reply(llmtest.Text("x"))
	for range 40 {
		ask(t, t.Context(), srv, "x")
	}
	requests := srv.Requests()
	if n := len(requests); n < 5 || n > 11 || requests[n-1].N != 40 {
		t.Errorf("%d kept, last %d", n, requests[n-1].N)
	}
}

func TestConversationsWithTheSameTextFollowTheirOwnSteps(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	srv.On().Steps(llmtest.Calls(llmtest.Call{Name: "f"}), llmtest.Text("one"), llmtest.Text("two"))
	step := []map[string]any{
		{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{"id": "a",
			"function": map[string]any{"name": "f", "arguments": "{}"}}}},
		{"role": "tool", "tool_call_id": "a", "content": "r"},
	}
	for _, tt := range []struct {
		more []map[string]any
		want string
	}{
		{step, "one"}, {nil, `"name":"f"`}, {append(step, step...), "two"}, {step, "one"},
		{append(step, map[string]any{"role": "user", "content": "again"}), `"name":"f"`},
	} {
		if _, body := ask(t, t.Context(), srv, "x", tt.more...); !strings.Contains(body, tt.want) {
			t.Errorf("%d more messages: %s", len(tt.more), body)
		}
	}
	if n := srv.Calls(llmtest.AtCall(3)); n != 1 {
		t.Errorf("%d third calls", n)
	}
}

func TestPlaceholdersAreFilledFromTheRequest(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	srv.On(llmtest.User(`say "hi"`)).Reply(llmtest.Calls(llmtest.Call{Name: "echo",
		Arguments: `{"text":"{{user}}"}`}).With(llmtest.ArgumentsWhole))
	_, body := ask(t, t.Context(), srv, `say "hi"`)
	line := body[strings.Index(body, `{"id"`):]
	for line != "" {
		data, rest, _ := strings.Cut(line, "\n\ndata: ")
		line = rest
		var chunk struct {
			Choices []struct {
				Delta struct {
					ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
				}
			}
		}
		if json.Unmarshal([]byte(data), &chunk) == nil && len(chunk.Choices) > 0 &&
			len(chunk.Choices[0].Delta.ToolCalls) > 0 {
			if got := chunk.Choices[0].Delta.ToolCalls[0].Function.Arguments; got != `{"text":"say \"hi\""}` {
				t.Errorf("arguments %s", got)
			}
			return
		}
	}
	t.Errorf("no call in %s", body)
}

func TestARefusedFieldIsNamedInTheError(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	srv.On().Reply(llmtest.Text("x").Refusing("stream_options"))
	if status, body := ask(t, t.Context(), srv, "x"); status != 400 || !strings.Contains(body,
		`"param":"stream_options"`) {
		t.Errorf("%d %s", status, body)
	}
}
