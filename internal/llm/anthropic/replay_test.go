package anthropic

import (
	"encoding/json"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	at "nanoclaw/internal/llm/anthropic/anthropictest"
	"nanoclaw/internal/llm/llmsuite"
)

// answered makes a call and returns the answer as the message that a later request carries.
func answered(t *testing.T, m *Model, req llm.Request) llm.Message {
	t.Helper()
	out := llmsuite.Collect(t, t.Context(), m, req)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	r := out.Response
	return llm.Message{Role: llm.RoleAssistant, Text: r.Text, Reasoning: r.Reasoning, Opaque: r.Opaque,
		ToolCalls: r.ToolCalls}
}

func TestSignedThinkingIsReplayedWordForWordAndInItsPlace(t *testing.T) {
	t.Parallel()
	tools := []llm.ToolDef{{Name: "f"}}
	srv, m := replying(t,
		at.Answer(at.Thinking("step 一", "sig1"), at.Text("I look."), at.Redacted("blob"), at.ToolUse("t1", "f",
			`{"x":1}`), at.Thinking("more", "sig2"), at.ToolUse("t2", "f", ``)),
		at.Answer(at.Text("done")))
	req := llm.Request{Messages: []llm.Message{user("x")}, Tools: tools, Thinking: llm.ThinkingOn}
	turn := answered(t, m, req)
	if turn.Reasoning != "step 一more" || turn.ToolCalls[1].Arguments != "{}" {
		t.Errorf("%+v", turn)
	}
	req.Messages = append(req.Messages, turn, result("t1", "r"), result("t2", "s"))
	got := sent(t, m, srv, req)
	if outline(got.Messages) != "user text | assistant thinking text redacted_thinking tool_use thinking tool_use | "+
		"user tool_result tool_result" {
		t.Error(outline(got.Messages))
	}
	content := got.Messages[1].Content
	if content[0].Thinking != "step 一" || content[0].Signature != "sig1" || content[1].Text != "I look." ||
		content[2].Data != "blob" || content[4].Signature != "sig2" {
		t.Errorf("%+v", content)
	}
}

func TestThinkingIsKeptWhereTheMessageWasChangedAndDroppedWhereItIsNotOurs(t *testing.T) {
	t.Parallel()
	block := `{"type":"thinking","thinking":"hm","signature":"s"}`
	opaque := func(model, blocks string) json.RawMessage {
		return json.RawMessage(`{"provider":"anthropic","model":"` + model + `","blocks":[` + blocks + `]}`)
	}
	tests := []struct {
		name   string
		opaque json.RawMessage
		text   string
		want   string
	}{
		{"as it was", opaque("claude-sonnet-4-5", block+`,{"type":"text","length":2}`), "ok", "thinking text"},
		{"a shortened text", opaque("claude-sonnet-4-5", block+`,{"type":"text","length":500}`), "ok", "thinking text"},
		{"lengths that cannot be", opaque("claude-sonnet-4-5",
			block+`,{"type":"text","length":-2},{"type":"text","length":4}`), "ok", "thinking text"},
		{"another model", opaque("claude-opus-4-1", block+`,{"type":"text","length":2}`), "ok", "text"},
		{"another provider", json.RawMessage(`{"extra_content":{"a":1}}`), "ok", "text"},
		{"not an object", json.RawMessage(`[1]`), "ok", "text"},
		{"interrupted before its signature", opaque("claude-sonnet-4-5",
			`{"type":"thinking","thinking":"hm"},{"type":"text","length":2}`), "ok", "text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv, m := replying(t, at.Answer(at.Text("fine")))
			got := sent(t, m, srv, llm.Request{Messages: []llm.Message{user("x"), {Role: llm.RoleAssistant,
				Text: test.text, Opaque: test.opaque}, user("y")}})
			if want := "user text | assistant " + test.want + " | user text"; outline(got.Messages) != want {
				t.Error(outline(got.Messages))
			}
		})
	}
}

func TestSwitchedOffThinkingIsNotReplayed(t *testing.T) {
	t.Parallel()
	srv, m := replying(t, at.Answer(at.Thinking("hm", "s"), at.Text("ok")))
	req := llm.Request{Messages: []llm.Message{user("x")}, Thinking: llm.ThinkingOn}
	req.Messages = append(req.Messages, answered(t, m, req), user("y"))
	req.Thinking = llm.ThinkingOff
	if got := sent(t, m, srv, req); outline(got.Messages) != "user text | assistant text | user text" {
		t.Error(outline(got.Messages))
	}
}

func TestALoopThatAnotherModelBeganGoesOnWithoutABudget(t *testing.T) {
	t.Parallel()
	srv, m := replying(t, at.Answer(at.Text("ok")))
	got := sent(t, m, srv, llm.Request{
		Messages: []llm.Message{user("x"), assistant("", call("1")), result("1", "r")},
		Tools:    []llm.ToolDef{{Name: "f"}}, Thinking: llm.ThinkingOn,
	})
	if got.Thinking != nil || len(srv.Requests()) != 1 {
		t.Errorf("thinking %+v after %d requests", got.Thinking, len(srv.Requests()))
	}
}

func TestARefusedSignatureIsLeftOut(t *testing.T) {
	t.Parallel()
	srv, m := replying(t, at.Answer(at.Thinking("hm", "bad signature"), at.Text("ok")), at.Answer(at.Text("fine")))
	req := llm.Request{Messages: []llm.Message{user("x")}}
	req.Messages = append(req.Messages, answered(t, m, req), user("y"))
	got := sent(t, m, srv, req)
	if outline(got.Messages) != "user text | assistant text | user text" || len(srv.Requests()) != 3 {
		t.Errorf("%s after %d requests", outline(got.Messages), len(srv.Requests()))
	}
}

// What a model refuses is left out of the same call and of every later one.
func TestWhatAModelRefusesIsLearnt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		model   string
		refuse  func(at.Request) string
		req     llm.Request
		correct func(at.Request) bool
	}{
		{"a budget", "claude-new", func(r at.Request) string {
			if r.Thinking != nil && r.Thinking.Type == "enabled" {
				return `"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`
			}
			return ""
		}, llm.Request{Thinking: llm.ThinkingOn}, func(r at.Request) bool {
			return r.Thinking != nil && r.Thinking.Type == "adaptive" && r.Thinking.Display == "summarized"
		}},
		{"adaptive thinking", "claude-opus-4-9", func(r at.Request) string {
			if r.Thinking != nil && r.Thinking.Type == "adaptive" {
				return "thinking: Input tag 'adaptive' found using 'type' does not match any of the expected tags: " +
					"'disabled', 'enabled'"
			}
			return ""
		}, llm.Request{Thinking: llm.ThinkingOn}, func(r at.Request) bool {
			return r.Thinking != nil &&
				r.Thinking.Type == "enabled"
		}},
		{"any thinking", "claude-3-5-haiku-20241022", func(r at.Request) string {
			if r.Thinking != nil {
				return "'claude-3-5-haiku-20241022' does not support thinking."
			}
			return ""
		}, llm.Request{Thinking: llm.ThinkingOn}, func(r at.Request) bool { return r.Thinking == nil }},
		{"switching it off", "claude-opus-5", func(r at.Request) string {
			if r.Thinking != nil && r.Thinking.Type == "disabled" {
				return `"thinking.type.disabled" is not supported for this model.`
			}
			return ""
		}, llm.Request{Thinking: llm.ThinkingOff}, func(r at.Request) bool { return r.Thinking == nil }},
		{"temperature", "claude-opus-4-7", func(r at.Request) string {
			if r.Temperature != nil {
				return "`temperature` is deprecated for this model."
			}
			return ""
		}, llm.Request{Temperature: number(0.5)}, func(r at.Request) bool { return r.Temperature == nil }},
		{"max_tokens", "claude-3-5-haiku-20241022", func(r at.Request) string {
			if r.MaxTokens > 8192 {
				return "max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for " +
					"claude-3-5-haiku-20241022"
			}
			return ""
		}, llm.Request{}, func(r at.Request) bool { return r.MaxTokens == 8192 }},
		{"marks for the cache", "glm-4.6", func(r at.Request) string {
			if r.Messages[0].Content[0].CacheControl != nil {
				return "messages.0.content.0.text.cache_control: Extra inputs are not permitted"
			}
			return ""
		}, llm.Request{}, func(r at.Request) bool { return r.Messages[0].Content[0].CacheControl == nil }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := at.NewServer(t)
			srv.Refuse(test.refuse)
			m := testModel(srv, func(c *config.Model) { c.Model = test.model })
			test.req.Messages = []llm.Message{user("x")}
			if got := sent(t, m, srv, test.req); !test.correct(got) {
				t.Errorf("%s", got.Body)
			}
			before := len(srv.Requests())
			if got := sent(t, m, srv, test.req); !test.correct(got) || len(srv.Requests()) != before+1 {
				t.Errorf("the second call took %d requests", len(srv.Requests())-before)
			}
		})
	}
}

func TestARefusalThatTeachesNothingIsAnError(t *testing.T) {
	t.Parallel()
	srv := at.NewServer(t)
	srv.Refuse(func(at.Request) string { return "thinking and temperature and max_tokens: no" })
	m := testModel(srv)
	out := llmsuite.Collect(t, t.Context(), m, llm.Request{Messages: []llm.Message{user("x")}, Thinking: llm.ThinkingOn,
		Temperature: number(1)})
	if out.Err == nil || !strings.Contains(out.Err.Error(), "thinking and temperature") {
		t.Errorf("error %v", out.Err)
	}
	if n := len(srv.Requests()); n > maxLessons+1 {
		t.Errorf("%d requests", n)
	}
}
