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

func number(f float64) *float64 { return &f }

// sent makes one call that must succeed, and returns the request that arrived.
func sent(t *testing.T, m *Model, srv *at.Server, req llm.Request) at.Request {
	t.Helper()
	if out := llmsuite.Collect(t, t.Context(), m, req); out.Err != nil {
		t.Fatal(out.Err)
	}
	all := srv.Requests()
	return all[len(all)-1]
}

func user(text string) llm.Message { return llm.Message{Role: llm.RoleUser, Text: text} }

func assistant(text string, calls ...llm.ToolCall) llm.Message {
	return llm.Message{Role: llm.RoleAssistant, Text: text, ToolCalls: calls}
}

func result(id, text string) llm.Message {
	return llm.Message{Role: llm.RoleTool, ToolCallID: id, ToolName: "f", Text: text}
}

func call(id string) llm.ToolCall { return llm.ToolCall{ID: id, Name: "f", Arguments: `{"x":1}`} }

// outline writes turns as "role type type | role type".
func outline(messages []at.Message) string {
	turns := make([]string, len(messages))
	for i, message := range messages {
		parts := []string{message.Role}
		for _, block := range message.Content {
			parts = append(parts, block.Type)
		}
		turns[i] = strings.Join(parts, " ")
	}
	return strings.Join(turns, " | ")
}

// The server refuses what the API refuses, so that each of these also passes its checks.
func TestAnyHistoryBecomesTurnsThatTheAPITakes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		messages []llm.Message
		want     string
	}{
		{"plain", []llm.Message{user("a"), assistant("b"), user("c")}, "user text | assistant text | user text"},
		{"all results in one turn, before the text", []llm.Message{user("a"), assistant("b", call("1"), call("2")),
			result("1", "r"), result("2", "s"), user("c")},
			"user text | assistant text tool_use tool_use | user tool_result tool_result text"},
		{"results after the text", []llm.Message{user("a"), assistant("", call("1")), user("c"), result("1", "r")},
			"user text | assistant tool_use | user tool_result text"},
		{"results out of order", []llm.Message{user("a"), assistant("", call("1"), call("2")), result("2", "s"),
			result("1", "r")},
			"user text | assistant tool_use tool_use | user tool_result tool_result"},
		{"a missing result", []llm.Message{user("a"), assistant("", call("1"), call("2")), result("2", "s"),
			user("go on")},
			"user text | assistant tool_use tool_use | user tool_result tool_result text"},
		{"no result at all, then the model again", []llm.Message{user("a"), assistant("", call("1")), assistant("b"),
			user("c")},
			"user text | assistant tool_use | user tool_result | assistant text | user text"},
		{"neighbours of one role", []llm.Message{user("a"), user("b"), assistant("c"), assistant("d"), user("e")},
			"user text text | assistant text text | user text"},
		{"an id twice in one message", []llm.Message{user("a"), assistant("", call("1"), call("1")), result("1", "r"),
			result("1", "s")},
			"user text | assistant tool_use tool_use | user tool_result tool_result"},
		{"an id again in a later message", []llm.Message{user("a"), assistant("", call("1")), result("1", "r"),
			assistant("", call("1")), result("1", "s")},
			"user text | assistant tool_use | user tool_result | assistant tool_use | user tool_result"},
		{"ids of another alphabet, and none", []llm.Message{user("a"), assistant("", call("call:1/ü"), call("")),
			result("call:1/ü", "r"), result("", "s")},
			"user text | assistant tool_use tool_use | user tool_result tool_result"},
		{"a result without its call", []llm.Message{user("a"), result("9", "r")}, "user text text"},
		{"empty texts", []llm.Message{user("a"), assistant(" \n"), user(""), user("b"), assistant("", call("1")),
			result("1", "")},
			"user text text | assistant tool_use | user tool_result"},
		{"the assistant first", []llm.Message{assistant("b"), user("c")}, "user text | assistant text | user text"},
		{"the assistant last", []llm.Message{user("a"), assistant("b")}, "user text | assistant text | user text"},
		{"system in the middle", []llm.Message{user("a"), assistant("b"), {Role: llm.RoleSystem, Text: "note"},
			user("c")},
			"user text | assistant text | user text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv, m := replying(t, at.Answer(at.Text("fine")))
			got := sent(t, m, srv, llm.Request{Messages: test.messages, Tools: []llm.ToolDef{{Name: "f"}}})
			if outline(got.Messages) != test.want {
				t.Errorf("%s\nwant %s", outline(got.Messages), test.want)
			}
		})
	}
}

func TestResultsReachTheCallsThatTheyBelongTo(t *testing.T) {
	t.Parallel()
	srv, m := replying(t, at.Answer(at.Text("fine")))
	got := sent(t, m, srv, llm.Request{
		Messages: []llm.Message{user("a"), assistant("", call("same"), call("same"), call("o:k")),
			result("o:k", "third"), result("same", "first"), result("same", `{"success":false,"error":"no"}`)},
		Tools: []llm.ToolDef{{Name: "f"}},
	})
	calls, results := got.Messages[1].Content, got.Messages[2].Content
	for i, want := range []string{"first", `{"success":false,"error":"no"}`, "third"} {
		if results[i].ToolUseID != calls[i].ID || results[i].Content[0].Text != want {
			t.Errorf("result %d of %s: %+v", i, calls[i].ID, results[i])
		}
	}
	if calls[0].ID != "same" || results[0].IsError || !results[1].IsError {
		t.Errorf("%+v %+v", calls[0], results)
	}
}

func TestTheSystemPromptIsItsOwnParameterAndIsCached(t *testing.T) {
	t.Parallel()
	srv, m := replying(t, at.Answer(at.Text("fine")))
	got := sent(t, m, srv, llm.Request{Messages: []llm.Message{
		{Role: llm.RoleSystem, Text: "one"}, {Role: llm.RoleSystem, Text: " "}, {Role: llm.RoleSystem, Text: "two"},
		user("a"), assistant("b"), user("c"),
	}})
	if len(got.System) != 2 || got.System[0].Text != "one" || got.System[1].CacheControl == nil ||
		got.System[0].CacheControl != nil {
		t.Errorf("system %+v", got.System)
	}
	if last := got.Messages[2].Content[0]; last.CacheControl == nil || got.Messages[0].Content[0].CacheControl != nil {
		t.Errorf("the last message is not marked: %+v", got.Messages)
	}
}

func TestToolsAreOfferedByNamesOfTheAPIsAlphabetAndCalledByOurs(t *testing.T) {
	t.Parallel()
	srv, m := replying(t, at.Answer(at.ToolUse("t1", "mcp_files_read_2", `{}`)))
	req := ask("x")
	req.Tools = []llm.ToolDef{
		{Name: "mcp.files/read", Description: "reads",
			Parameters: json.RawMessage(`{"type":"object","properties":{"p":{"type":"string"}},"required":["p"]}`)},
		{Name: "mcp/files.read"}, {Name: "ünïcode"}, {Name: "f", Parameters: json.RawMessage(`{}`)}, {Name: "f"},
		{Name: strings.Repeat("n", 200)},
	}
	out := llmsuite.Collect(t, t.Context(), m, req)
	if out.Err != nil || out.Response.ToolCalls[0].Name != "mcp/files.read" || out.Calls[0].Name != "mcp/files.read" {
		t.Fatalf("%v %+v", out.Err, out.Response)
	}
	got := srv.Requests()[0].Tools
	if len(got) != 5 || got[0].Name != "mcp_files_read" || got[0].Description != "reads" ||
		!strings.Contains(string(got[0].InputSchema), `"required":["p"]`) {
		t.Errorf("%+v", got)
	}
}

func TestALastTurnWithoutToolsStillDeclaresThemAndForbidsCalls(t *testing.T) { // MA5
	t.Parallel()
	srv, m := replying(t, at.Answer(at.Text("fine")))
	got := sent(t, m, srv, llm.Request{Messages: []llm.Message{user("a"), assistant("", call("1")), result("1", "r")}})
	if len(got.Tools) != 1 || got.Tools[0].Name != "f" || got.ToolChoice == nil || got.ToolChoice.Type != "none" {
		t.Errorf("tools %+v, choice %+v", got.Tools, got.ToolChoice)
	}
}

func TestBrokenArgumentsOfAnEarlierCallAreSentAsAnObject(t *testing.T) {
	t.Parallel()
	srv, m := replying(t, at.Answer(at.Text("fine")))
	broken := call("1")
	broken.Arguments = `{"x":`
	empty := call("2")
	empty.Arguments = ""
	exact := call("3")
	exact.Arguments = `{"n":12345678901234567890,"h":"<a>"}`
	got := sent(t, m, srv, llm.Request{Messages: []llm.Message{user("a"), assistant("", broken, empty, exact)},
		Tools: []llm.ToolDef{{Name: "f"}}})
	calls := got.Messages[1].Content
	if string(calls[0].Input) != `{"invalid_arguments":"{\"x\":"}` || string(calls[1].Input) != `{}` ||
		!strings.Contains(string(calls[2].Input), "12345678901234567890") {
		t.Errorf("%s %s %s", calls[0].Input, calls[1].Input, calls[2].Input)
	}
}

func TestImagesGoBeforeTheText(t *testing.T) { // CH6
	t.Parallel()
	srv, m := replying(t, at.Answer(at.Text("fine")))
	picture := llm.Message{Role: llm.RoleUser, Text: "what is it?", Images: []llm.Image{{MediaType: "image/png",
		Data: []byte("\x89PNG")}}}
	got := sent(t, m, srv, llm.Request{Messages: []llm.Message{picture}})
	block := got.Messages[0].Content[0]
	if outline(got.Messages) != "user image text" || block.Source.MediaType != "image/png" ||
		block.Source.Data != "iVBORw==" {
		t.Errorf("%s %+v", outline(got.Messages), block.Source)
	}
	picture.Images[0].MediaType = "image/tiff"
	out := llmsuite.Collect(t, t.Context(), m, llm.Request{Messages: []llm.Message{picture}})
	if out.Err == nil || !strings.Contains(out.Err.Error(), "image/tiff") {
		t.Errorf("error %v", out.Err)
	}
}

func TestImagesOfAResultStandInIt(t *testing.T) { // TS7
	t.Parallel()
	srv, m := replying(t, at.Answer(at.Text("fine")))
	images := []llm.Image{{MediaType: "image/png", Data: []byte("\x89PNG")}}
	got := sent(t, m, srv, llm.Request{Tools: []llm.ToolDef{{Name: "f"}}, Messages: []llm.Message{
		user("a"), assistant("", call("1")), {Role: llm.RoleTool, ToolCallID: "1", ToolName: "f", Text: "seen",
			Images: images},
	}})
	result := got.Messages[2].Content[0]
	if len(got.Messages) != 3 || len(result.Content) != 2 || result.Content[0].Text != "seen" ||
		result.Content[1].Source.Data != "iVBORw==" {
		t.Errorf("%+v", got.Messages)
	}
}

func TestThinkingIsAskedForAsTheModelWantsIt(t *testing.T) { // CH6
	t.Parallel()
	tests := []struct {
		name, model string
		req         llm.Request
		kind        string
		budget      int
		max         int
		temperature bool
	}{
		{"by budget, on top of what is asked for", "claude-sonnet-4-5", llm.Request{Thinking: llm.ThinkingOn,
			MaxTokens: 500, Temperature: number(0.2)}, "enabled", 8192, 8692, false},
		{"by budget, within the default", "claude-3-7-sonnet-20250219", llm.Request{Thinking: llm.ThinkingOn},
			"enabled", 8192, 16384, false},
		{"adaptively", "claude-opus-4-6", llm.Request{Thinking: llm.ThinkingOn, Temperature: number(0.2)}, "adaptive",
			0, 16384, false},
		{"adaptively, five", "claude-haiku-5-5", llm.Request{Thinking: llm.ThinkingOn, MaxTokens: 500}, "adaptive", 0,
			500, false},
		{"off", "claude-opus-4-6", llm.Request{Thinking: llm.ThinkingOff, Temperature: number(0.2)}, "disabled", 0,
			16384, true},
		{"by a small budget", "claude-sonnet-4-5", llm.Request{Thinking: llm.ThinkingLow}, "enabled", 2048, 16384, false},
		{"by half of the output at most", "claude-sonnet-4-5", llm.Request{Thinking: llm.ThinkingHigh}, "enabled", 8192,
			16384, false},
		{"as the model likes", "claude-sonnet-4-5", llm.Request{Temperature: number(1.7)}, "", 0, 16384, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := at.NewServer(t)
			m := testModel(srv, func(c *config.Model) { c.Model = test.model })
			test.req.Messages = []llm.Message{user("x")}
			got := sent(t, m, srv, test.req)
			kind, budget := "", 0
			if got.Thinking != nil {
				kind, budget = got.Thinking.Type, got.Thinking.BudgetTokens
			}
			if kind != test.kind || budget != test.budget || got.MaxTokens != test.max ||
				(got.Temperature != nil) != test.temperature {
				t.Errorf("thinking %q %d, max %d, temperature %v", kind, budget, got.MaxTokens, got.Temperature)
			}
			if got.Temperature != nil && *got.Temperature > 1 {
				t.Errorf("temperature %v", *got.Temperature)
			}
			if len(srv.Requests()) != 1 {
				t.Errorf("%d requests", len(srv.Requests()))
			}
		})
	}
}

func TestTheEffortOfAdaptiveThinkingIsSaid(t *testing.T) {
	t.Parallel()
	for thinking, want := range map[llm.Thinking]string{llm.ThinkingLow: "low", llm.ThinkingHigh: "high",
		llm.ThinkingOn: ""} {
		srv := at.NewServer(t)
		m := testModel(srv, func(c *config.Model) { c.Model = "claude-opus-4-6" })
		got := sent(t, m, srv, llm.Request{Messages: []llm.Message{user("x")}, Thinking: thinking})
		if got.OutputConfig.Effort != want {
			t.Errorf("thinking %s: the effort is %q, want %q", thinking, got.OutputConfig.Effort, want)
		}
	}
}

func TestTheOutputLimitOfTheConfigHolds(t *testing.T) {
	t.Parallel()
	srv := at.NewServer(t)
	m := testModel(srv, func(c *config.Model) { c.MaxOutput = 4000; c.Temperature = number(0.5) })
	got := sent(t, m, srv, llm.Request{Messages: []llm.Message{user("x")}, MaxTokens: 100_000})
	if got.MaxTokens != 4000 || got.Temperature == nil || *got.Temperature != 0.5 {
		t.Errorf("max %d, temperature %v", got.MaxTokens, got.Temperature)
	}
	got = sent(t, m, srv, llm.Request{Messages: []llm.Message{user("x")}, Thinking: llm.ThinkingOn})
	if got.Thinking == nil || got.Thinking.BudgetTokens != 2000 || got.MaxTokens != 4000 {
		t.Errorf("max %d, thinking %+v", got.MaxTokens, got.Thinking)
	}
}
