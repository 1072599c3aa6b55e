package builtin

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// town is agents that answer as they are told to.
type town struct {
	answer   tools.AgentAnswer
	external tools.ExternalAnswer
	err      error

	call    tools.Call
	message tools.AgentMessage
}

var (
	_ tools.Agents         = (*town)(nil)
	_ tools.ExternalAgents = externalTown{}
)

func (t *town) Profiles() []tools.AgentInfo {
	return []tools.AgentInfo{{ID: "default", Name: "NanoClaw"}, {ID: "critic", Name: "The critic",
		Description: "judges poems"}}
}

func (t *town) Check(agent, _ string) error {
	if agent == "nobody" {
		return tools.Errorf("unknown_agent", "there is no agent %q", agent)
	}
	return nil
}

func (t *town) Chat(_ context.Context, call tools.Call, message tools.AgentMessage) (tools.AgentAnswer, error) {
	t.call, t.message = call, message
	return t.answer, t.err
}

type externalTown struct{ *town }

func (t externalTown) List() []tools.AgentInfo {
	return []tools.AgentInfo{{ID: "coder", Description: "writes code"}}
}

func (t externalTown) Delegate(_ context.Context, call tools.Call, agent,
	message string) (tools.ExternalAnswer, error) {
	t.call, t.message = call, tools.AgentMessage{Agent: agent, Text: message}
	return t.external, t.err
}

func (t *town) run(tb testing.TB, external bool, name string, args map[string]any) string {
	tb.Helper()
	located := &services.Locator{}
	services.Register[tools.Agents](located, tools.AgentsKey, t)
	if external {
		services.Register[tools.ExternalAgents](located, tools.ExternalAgentsKey, externalTown{t})
	}
	encoded, err := json.Marshal(tools.Default().Execute(tb.Context(), name, tools.Call{Services: located,
		ProjectID: "p1", Profile: "default"}, args))
	if err != nil {
		tb.Fatal(err)
	}
	return string(encoded)
}

// BT9: profiles and external agents are listed with the tool that reaches them.
func TestListAgentsShowsBothKinds(t *testing.T) {
	t.Parallel()
	both := (&town{}).run(t, true, "list_agents", nil)
	for _, want := range []string{
		`{"id":"critic","name":"The critic","description":"judges poems","tool":"chat_with_agent"}`,
		`{"id":"coder","description":"writes code","tool":"delegate_external_agent"}`,
	} {
		if !strings.Contains(both, want) {
			t.Errorf("list_agents answered %s", both)
		}
	}
	if alone := (&town{}).run(t, false, "list_agents", nil); strings.Contains(alone, "coder") ||
		!strings.Contains(alone, "critic") {
		t.Errorf("without external agents it answered %s", alone)
	}
}

// BT9: the shapes of chat_with_agent's answer and failure.
func TestChatWithAgentAnswers(t *testing.T) {
	t.Parallel()
	at := &town{answer: tools.AgentAnswer{SessionID: "s1", RunID: "r2", Response: "old hat"}}
	got := at.run(t, false, "chat_with_agent", map[string]any{"agent": "critic", "message": "judge",
		"session_id": "s1"})
	if got != `{"success":true,"data":{"agent":"critic","session_id":"s1","response":"old hat","run_id":"r2"}}` {
		t.Errorf("answered %s", got)
	}
	if at.message != (tools.AgentMessage{Agent: "critic", Text: "judge", SessionID: "s1"}) ||
		at.call.Profile != "default" {
		t.Errorf("said %+v", at.message)
	}
	at.answer = tools.AgentAnswer{SessionID: "s1", RunID: "r3", Response: "half", Error: "the run was cancelled",
		Code: tools.CodeCancelled}
	got = at.run(t, false, "chat_with_agent", map[string]any{"agent": "critic", "message": "judge"})
	if want := `{"success":false,"error":"the agent critic failed: the run was cancelled","code":"cancelled","data":{"agent":"critic","session_id":"s1","response":"half","run_id":"r3"}}`; got != want {
		t.Errorf("a failure answered %s", got)
	}
	if got = at.run(t, false, "chat_with_agent", map[string]any{"agent": "critic",
		"message": ""}); !strings.Contains(got, tools.CodeInvalidArguments) {
		t.Errorf("an empty message answered %s", got)
	}
}

// BT9: an external agent gets the project of the conversation, and it counts as writing.
func TestDelegateExternalAgentPassesTheProject(t *testing.T) {
	t.Parallel()
	at := &town{external: tools.ExternalAnswer{Agent: "coder", Response: "done", StopReason: "end_turn"}}
	got := at.run(t, true, "delegate_external_agent", map[string]any{"agent": "coder", "message": "write"})
	if got != `{"success":true,"data":{"agent":"coder","response":"done","stop_reason":"end_turn"}}` ||
		at.call.ProjectID != "p1" {
		t.Errorf("answered %s for the project %q", got, at.call.ProjectID)
	}
	tool, _ := tools.Default().Get("delegate_external_agent")
	if tool.Effect != tools.Writes || strings.Contains(string(tool.ToDefinition().Function.Parameters), "project_id") {
		t.Errorf("effect %s, parameters %s", tool.Effect, tool.ToDefinition().Function.Parameters)
	}
	if got := at.run(t, false, "delegate_external_agent", map[string]any{"agent": "coder",
		"message": "write"}); !strings.Contains(got, `"code":"unavailable"`) {
		t.Errorf("without the service it answered %s", got)
	}
}
