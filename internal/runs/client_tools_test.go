package runs

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// sendWith starts a turn whose client brings tools along.
func (h *house) sendWith(text string, names ...string) *RunView {
	h.t.Helper()
	req := StartRequest{UserID: models.LocalUserID, ConversationID: h.conversation().ID, Text: text}
	for _, name := range names {
		req.ClientTools = append(req.ClientTools, models.ClientTool{Name: name,
			Parameters: json.RawMessage(`{"type":"object","properties":{"x":{"type":"integer"}}}`)})
	}
	if err := CheckClientTools(req.ClientTools); err != nil {
		h.t.Fatal(err)
	}
	run, err := h.runs.StartTurn(h.t.Context(), req)
	if err != nil {
		h.t.Fatal(err)
	}
	return run
}

// asked waits until that many calls of a run wait for the client.
func (h *house) asked(runID string, n int) []tools.Invocation {
	h.t.Helper()
	var calls []tools.Invocation
	h.until("the calls wait for the client", func() (there bool) {
		var err error
		if calls, err = h.runs.WaitingClientCalls(h.t.Context(), models.LocalUserID, runID); err != nil {
			h.t.Fatal(err)
		}
		return len(calls) == n
	})
	return calls
}

func (h *house) result(results ...ClientResult) error {
	_, _, err := h.runs.AnswerClientCalls(h.t.Context(), models.LocalUserID, results)
	return err
}

// IF1: calls of the client's tools wait side by side, all their results are sent at
// once, and the model sees them with secrets covered.
func TestCallsOfTheClientsToolsWaitForTheirResults(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(
		llmtest.Call{Name: "theirs", Arguments: `{"x":1}`}, llmtest.Call{Name: "theirs", Arguments: `{"x":2}`},
		llmtest.Call{Name: "theirs", Arguments: `{"x":"no number"}`}), llmtest.Text("saw {{last}}"))
	run := h.sendWith("go", "theirs")
	calls := h.asked(run.ID, 2)
	h.rests(run.ID)
	var missing *MissingResultError
	if err := h.result(ClientResult{calls[0].ID, "1"}); !errors.As(err, &missing) || missing.CallIDs[0] != calls[1].ID {
		t.Errorf("half of the results: %v", err)
	}
	var unexpected *UnexpectedResultError
	if err := h.result(ClientResult{calls[0].ID, "1"}, ClientResult{calls[1].ID, "2"},
		ClientResult{"nothing", "3"}); !errors.As(err, &unexpected) || unexpected.CallID != "nothing" {
		t.Errorf("a result of no call: %v", err)
	}
	if calls := h.asked(run.ID, 2); len(calls) != 2 {
		t.Errorf("refused results were stored: %v", calls)
	}
	if err := h.result(ClientResult{calls[1].ID, "two the-secret-key-123"},
		ClientResult{calls[0].ID, `{"n":1}`}); err != nil {
		t.Fatal(err)
	}
	h.events(run.ID)
	_, message := h.answer(run.ID)
	if len(message.ToolCalls) != 3 || message.ToolCalls[0].Result != `{"success":true,"data":{"n":1}}` ||
		!strings.Contains(message.ToolCalls[1].Result, "two ") || message.ToolCalls[2].Success ||
		strings.Contains(message.ToolCalls[1].Result, "the-secret-key-123") {
		t.Errorf("calls %+v", message.ToolCalls)
	}
	if err := h.result(ClientResult{calls[1].ID, "again"}, ClientResult{calls[0].ID, "again"}); !errors.As(err,
		&unexpected) {
		t.Errorf("results sent again: %v", err)
	}
}

// IF1: a result that comes while other calls of the step are at work is not lost.
func TestAClientsResultThatComesEarlyIsSeen(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	h.registry.Register(tools.Define("slow", "waits", func(context.Context, tools.Call, struct{}) (string, error) {
		close(entered)
		<-leave
		return "slow", nil
	}, tools.Effect(tools.Volatile)))
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(llmtest.Call{Name: "theirs", Arguments: `{}`},
		llmtest.Call{Name: "slow", Arguments: `{}`}), llmtest.Text("done"))
	run := h.sendWith("go", "theirs")
	calls := h.asked(run.ID, 1)
	await(t, entered)
	if err := h.result(ClientResult{calls[0].ID, "early"}); err != nil {
		t.Fatal(err)
	}
	close(leave)
	h.events(run.ID)
	if ended, message := h.answer(run.ID); ended.Status != models.RunCompleted || message.Text != "done" {
		t.Errorf("run %+v, message %q", ended, message.Text)
	}
}

// IF1: a client's tool takes the place of the server's of the same name, in this run
// and not in its sub-agents.
func TestAClientsToolReplacesTheServersForTheRootRunAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(note("x")), llmtest.Calls(llmtest.Call{Name: "multi_agent",
		Arguments: `{"tasks":[{"name":"a","instruction":"sub"}]}`}), llmtest.Text("done"))
	h.model.On(llmtest.User("sub")).Steps(llmtest.Calls(note("by the server")), llmtest.Text("noted"))
	run := h.sendWith("go", "note")
	calls := h.asked(run.ID, 1)
	if err := h.result(ClientResult{calls[0].ID, "by the client"}); err != nil {
		t.Fatal(err)
	}
	h.events(run.ID)
	if ended, _ := h.answer(run.ID); ended.Status != models.RunCompleted {
		t.Errorf("run %+v", ended)
	}
	if lines := h.noted(); len(lines) != 1 || lines[0] != "by the server" {
		t.Errorf("notes %v", lines)
	}
}

// IF1: a run whose client never answers does not wait for ever.
func TestARunWhoseClientSendsNoResultIsCancelled(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.change(func(s *Settings) { s.ClientToolTimeout = time.Millisecond })
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(llmtest.Call{Name: "theirs", Arguments: `{}`}))
	run := h.sendWith("go", "theirs")
	h.events(run.ID)
	if ended, _ := h.answer(run.ID); ended.Status != models.RunCancelled {
		t.Errorf("run %+v", ended)
	}
}

// IF1, US4: also one that a member of its project started.
func TestARunOfAMemberWhoseClientSendsNoResultIsCancelled(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.change(func(s *Settings) { s.ClientToolTimeout = time.Millisecond })
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(llmtest.Call{Name: "theirs", Arguments: `{}`}))
	member := &models.User{Name: "colleague", Role: "user"}
	project := &models.Project{UserID: models.LocalUserID, Name: "shared"}
	conv := &models.Conversation{UserID: models.LocalUserID, ToolsEnabled: true}
	for _, step := range []func() error{
		func() error { return h.store.CreateUser(t.Context(), member) },
		func() error { return h.store.CreateProject(t.Context(), project) },
		func() error {
			return h.store.PutMember(t.Context(), models.LocalUserID, models.ProjectMember{ProjectID: project.ID,
				UserID: member.ID, Role: models.MemberEditor})
		},
		func() error { conv.ProjectID = project.ID; return h.store.CreateConversation(t.Context(), conv) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	run, err := h.runs.StartTurn(store.WithLevel(t.Context(), store.EditorsToo), StartRequest{UserID: member.ID,
		ConversationID: conv.ID, Text: "go", ClientTools: []models.ClientTool{{Name: "theirs"}}})
	if err != nil {
		t.Fatal(err)
	}
	h.events(run.ID)
	if ended, _ := h.answer(run.ID); ended.Status != models.RunCancelled {
		t.Errorf("run %+v", ended)
	}
}

// IF1: tools that no model could call are refused before anything is stored.
func TestToolsOfAClientAreChecked(t *testing.T) {
	t.Parallel()
	for what, list := range map[string][]models.ClientTool{
		"a name with a space": {{Name: "not a name"}},
		"no name":             {{}},
		"a name twice":        {{Name: "a"}, {Name: "a"}},
		"no schema":           {{Name: "a", Parameters: json.RawMessage(`"text"`)}},
		"a long schema": {{Name: "a", Parameters: json.RawMessage(`{"description":"` +
			strings.Repeat("x", maxToolSchema) + `"}`)}},
		"too many": make([]models.ClientTool, maxClientTools+1),
	} {
		var invalid *InvalidError
		if err := CheckClientTools(list); !errors.As(err, &invalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	fine := []models.ClientTool{{Name: "a"}, {Name: "b", Parameters: json.RawMessage(`null`)}}
	if err := CheckClientTools(fine); err != nil {
		t.Error(err)
	}
}
