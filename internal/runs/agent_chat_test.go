package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/services"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

func (h *house) profile(id string) (Profile, bool) {
	if i := slices.IndexFunc(h.agents.Profiles, func(p Profile) bool { return p.ID == id }); i >= 0 {
		return h.agents.Profiles[i], true
	}
	return Profile{ID: DefaultAgent}, id == "" || id == DefaultAgent
}

// newTown is a house with agents that talk to each other.
func newTown(t *testing.T, profiles ...Profile) *house {
	t.Helper()
	h := newHouse(t)
	h.agents = AgentSettings{MaxDepth: 3, Profiles: profiles}
	h.registry.Register(tools.Define("chat_with_agent", "talk", func(ctx context.Context, call tools.Call,
		args chatArgs) (tools.AgentAnswer, error) {
		agents, err := services.Get(call.Services, tools.AgentsKey)
		if err != nil {
			return tools.AgentAnswer{}, err
		}
		return agents.Chat(ctx, call, tools.AgentMessage{Agent: args.Agent, Text: args.Message,
			SessionID: args.SessionID})
	}, tools.Effect(tools.Resumes), tools.Timeout(-1)))
	h.registry.Register(tools.Define("who", "what the call knows", func(_ context.Context, call tools.Call,
		args noteArgs) (map[string]any, error) {
		return map[string]any{"profile": call.Profile, "callers": call.Callers, "line": args.Line}, nil
	}, tools.Effect(tools.Volatile)))
	return h
}

type chatArgs struct {
	Agent     string `json:"agent"`
	Message   string `json:"message"`
	SessionID string `json:"session_id,omitempty"`
}

// chat is a call of chat_with_agent.
func chat(agent, message, session string) llmtest.Call {
	arguments, err := json.Marshal(chatArgs{agent, message, session})
	if err != nil {
		panic(err)
	}
	return llmtest.Call{Name: "chat_with_agent", Arguments: string(arguments)}
}

// chatted is a chat's result as the model sees it.
type chatted struct {
	Success bool
	Error   string
	Code    string
	Data    tools.AgentAnswer
}

// turn sends a message and returns the run and the results of its calls.
func (h *house) turn(conv *models.Conversation, text string) (*RunView, []chatted) {
	h.t.Helper()
	run := h.send(conv, text)
	h.events(run.ID)
	ended, message := h.answer(run.ID)
	var got []chatted
	for _, call := range message.ToolCalls {
		got = append(got, decode[chatted](h.t, []byte(call.Result)))
	}
	return ended, got
}

// BT9: an agent answers another one in a run of its own below the call, with its
// own prompt and history.
func TestAnAgentAnswersAnotherOne(t *testing.T) {
	t.Parallel()
	h := newTown(t, Profile{ID: "critic", Name: "The critic", SystemPrompt: "You judge poems.", MaxIterations: 4})
	h.model.On(llmtest.User("ask the critic")).Steps(llmtest.Calls(chat("critic", "judge: roses are red", "")),
		llmtest.Text("it was judged"))
	h.model.On(llmtest.User("judge: roses are red")).Reply(llmtest.Text("old hat"))
	ended, got := h.turn(h.conversation(), "ask the critic")
	answer := got[0].Data
	if !got[0].Success || answer.Response != "old hat" || answer.SessionID == "" || answer.SessionID != answer.RunID {
		t.Fatalf("answer %+v", got[0])
	}
	child := ended.Children[0]
	if child.ID != answer.RunID || child.Agent != "critic" || child.AgentPath != "main/critic" ||
		child.TaskName != "The critic" || child.Status != models.RunCompleted {
		t.Errorf("run of the agent %+v", child)
	}
	request := h.model.Requests(llmtest.User("judge: roses are red"))[0]
	if system := request.Messages[0].Text; !strings.Contains(system, "You judge poems.") || len(request.Messages) != 2 {
		t.Errorf("the agent saw %+v", request.Messages)
	}
}

// BT9: a session is continued by its id, in a later turn of the conversation too:
// the earlier turns are its context, tool calls included.
func TestASessionIsContinuedByItsID(t *testing.T) {
	t.Parallel()
	h := newTown(t, Profile{ID: "helper"})
	conv := h.conversation()
	h.model.On(llmtest.User("first")).Steps(llmtest.Calls(chat("helper", "remember 42", "")), llmtest.Text("ok"))
	h.model.On(llmtest.User("remember 42")).Steps(llmtest.Calls(llmtest.Call{Name: "note", Arguments: `{"line":"42"}`}),
		llmtest.Text("noted"))
	_, got := h.turn(conv, "first")
	session := got[0].Data.SessionID

	h.close(t.Context())
	h.open() // it is stored, not remembered
	h.model.On(llmtest.User("second")).Steps(llmtest.Calls(chat("helper", "which number?", session)),
		llmtest.Text("ok"))
	h.model.On(llmtest.User("which number?")).Reply(llmtest.Text("it was 42"))
	_, got = h.turn(conv, "second")
	if got[0].Data.Response != "it was 42" || got[0].Data.SessionID != session || got[0].Data.RunID == session {
		t.Fatalf("answer %+v", got[0])
	}
	h.model.On(llmtest.User("third")).Steps(llmtest.Calls(chat("helper", "sure?", session)), llmtest.Text("ok"))
	h.model.On(llmtest.User("sure?")).Reply(llmtest.Text("yes"))
	h.turn(conv, "third")
	var roles []string
	for _, message := range h.model.Requests(llmtest.User("sure?"))[0].Messages {
		roles = append(roles, message.Role)
	}
	want := []string{"system", "user", "assistant", "tool", "assistant", "user", "assistant", "user"}
	if !slices.Equal(roles, want) {
		t.Errorf("the agent saw %v, want %v", roles, want)
	}
}

// BT9: what cannot be said is refused in words that help.
func TestMessagesThatCannotBeGivenAreRefused(t *testing.T) {
	t.Parallel()
	h := newTown(t, Profile{ID: "helper"}, Profile{ID: "other"})
	conv := h.conversation()
	h.model.On(llmtest.User("first")).Steps(llmtest.Calls(chat("helper", "hello", "")), llmtest.Text("ok"))
	h.model.On(llmtest.User("hello")).Reply(llmtest.Text("hi"))
	_, got := h.turn(conv, "first")
	session := got[0].Data.SessionID
	h.model.On(llmtest.User("again")).Steps(llmtest.Calls(
		chat("helpr", "x", ""), chat("other", "x", session), chat("helper", "x", store.NewID()), chat("helper", "  ",
			""),
	), llmtest.Text("ok"))
	ended, got := h.turn(conv, "again")
	for i, want := range []struct{ code, text string }{
		{codeUnknownAgent, "did you mean helper?"},
		{tools.CodeInvalidArguments, `is one with the agent "helper"`},
		{tools.CodeInvalidArguments, "there is no session"},
		{tools.CodeInvalidArguments, "message is empty"},
	} {
		if got[i].Code != want.code || !strings.Contains(got[i].Error, want.text) {
			t.Errorf("call %d answered %+v", i, got[i])
		}
	}
	if len(ended.Children) != 0 {
		t.Errorf("%d runs were made", len(ended.Children))
	}
	// Nobody else's session either.
	h.model.On(llmtest.User("steal")).Steps(llmtest.Calls(chat("helper", "x", session)), llmtest.Text("ok"))
	if _, got := h.turn(h.conversation(), "steal"); got[0].Code != tools.CodeInvalidArguments {
		t.Errorf("a session of another conversation: %+v", got[0])
	}
}

// BT9: a loop between agents ends at agents_max_depth, and everybody still answers,
// also where only one sub-agent may be at work at once.
func TestALoopBetweenAgentsIsStoppedByTheDepthLimit(t *testing.T) {
	t.Parallel()
	h := newTown(t, Profile{ID: "a"}, Profile{ID: "b"})
	h.change(func(s *Settings) { s.SubAgents.MaxConcurrency = 1 })
	h.model.On(llmtest.User("start")).Steps(llmtest.Calls(chat("a", "level 1", "")), llmtest.Text("top"))
	for level := 1; level <= 3; level++ {
		other := string("ba"[(level+1)%2])
		h.model.On(llmtest.User(fmt.Sprintf("level %d", level))).
			Steps(llmtest.Calls(chat(other, fmt.Sprintf("level %d", level+1), "")),
				llmtest.Text(fmt.Sprintf("end %d", level)))
	}
	ended, got := h.turn(h.conversation(), "start")
	if got[0].Data.Response != "end 1" || h.model.Calls(llmtest.User("level 4")) != 0 {
		t.Fatalf("answer %+v", got[0])
	}
	deepest := ended.Children[0].Children[0].Children[0]
	view, err := h.runs.Run(t.Context(), models.LocalUserID, deepest.ID)
	if err != nil {
		t.Fatal(err)
	}
	refused := decode[chatted](t, []byte(view.ToolCalls[0].Result))
	if refused.Code != tools.CodeBlocked || !strings.Contains(refused.Error, "agents_max_depth") ||
		deepest.Response != "end 3" || strings.Count(deepest.AgentPath, "/") != 3 {
		t.Errorf("the deepest agent %+v was told %+v", deepest, refused)
	}
}

// BT9 MA4: an agent that is called may do what it and everybody above it may.
func TestACalledAgentHasNeverMoreThanItsCallers(t *testing.T) {
	t.Parallel()
	h := newTown(t,
		Profile{ID: "reader", Tools: []string{"look", "who", "chat_*"},
			Presets: map[string]map[string]any{"who": {"line": "the caller's"}}},
		Profile{ID: "writer", Tools: []string{"note", "who", "chat_*"},
			Presets: map[string]map[string]any{"who": {"line": "its own"}}})
	h.model.On(llmtest.User("start")).Steps(llmtest.Calls(chat("reader", "read", "")), llmtest.Text("ok"))
	h.model.On(llmtest.User("read")).Steps(llmtest.Calls(chat("writer", "write", "")), llmtest.Text("ok"))
	h.model.On(llmtest.User("write")).Steps(llmtest.Calls(
		llmtest.Call{Name: "note", Arguments: `{"line":"x"}`}, llmtest.Call{Name: "look", Arguments: `{}`},
		llmtest.Call{Name: "who", Arguments: `{"line":"the model's"}`},
	), llmtest.Text("ok"))
	ended, _ := h.turn(h.conversation(), "start")
	if request := h.model.Requests(llmtest.User("write"))[0]; !slices.Equal(request.ToolNames(),
		[]string{"chat_with_agent", "who"}) {
		t.Errorf("the agent was offered %v", request.ToolNames())
	}
	view, err := h.runs.Run(t.Context(), models.LocalUserID, ended.Children[0].Children[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`"code":"blocked"`, `"code":"blocked"`,
		`"callers":["default","reader"],"line":"the caller's","profile":"writer"`} {
		if !strings.Contains(view.ToolCalls[i].Result, want) {
			t.Errorf("%s answered %s", view.ToolCalls[i].Function.Name, view.ToolCalls[i].Result)
		}
	}
	if len(h.noted()) != 0 {
		t.Error("a refused call had its effect")
	}
}

// MA3: an agent that a root run calls may fan out, but nobody below a sub-agent of
// multi_agent, however it came to be there.
func TestNobodyBelowAFanOutFansOut(t *testing.T) {
	t.Parallel()
	h := newTown(t, Profile{ID: "planner"})
	h.model.On(llmtest.User("start")).Steps(llmtest.Calls(chat("planner", "plan", "")), llmtest.Text("ok"))
	h.model.On(llmtest.User("plan")).Steps(llmtest.Calls(fan("part", 2)), llmtest.Text("planned"))
	h.model.On(llmtest.User("part 0")).Steps(llmtest.Calls(chat("planner", "deeper", "")), llmtest.Text("done 0"))
	h.model.On(llmtest.User("part 1")).Reply(llmtest.Text("done 1"))
	h.model.On(llmtest.User("deeper")).Steps(llmtest.Calls(fan("forged", 1)), llmtest.Text("alone"))
	ended, got := h.turn(h.conversation(), "start")
	if got[0].Data.Response != "planned" {
		t.Fatalf("answer %+v", got[0])
	}
	if !h.model.Requests(llmtest.User("plan"))[0].Offers("multi_agent") {
		t.Error("the agent of a root run was not offered multi_agent")
	}
	for _, request := range h.model.Requests(llmtest.User("deeper")) {
		if request.Offers("multi_agent") {
			t.Error("an agent below a sub-agent was offered multi_agent")
		}
	}
	fanned := ended.Children[0].Children
	view, err := h.runs.Run(t.Context(), models.LocalUserID, fanned[0].Children[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(view.ToolCalls[0].Result, `"code":"blocked"`) ||
		h.model.Calls(llmtest.UserContains("forged")) != 0 {
		t.Errorf("a forged fan-out answered %s", view.ToolCalls[0].Result)
	}
	if len(fanned) != 2 || fanned[0].Response != "done 0" || view.AgentPath != "main/planner/t0/planner" {
		t.Errorf("fan-out %+v, path %s", fanned, view.AgentPath)
	}
}

// BT9 CH5: a call that a shutdown cut goes on with the run that it made.
func TestAChatGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	h := newTown(t, Profile{ID: "helper"})
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("start")).Steps(llmtest.Calls(chat("helper", "work", "")), llmtest.Text("ok"))
	h.model.On(llmtest.User("work")).Steps(llmtest.Calls(llmtest.Call{Name: "note", Arguments: `{"line":"once"}`}),
		llmtest.Text("worked").At(gate))
	run := h.send(h.conversation(), "start")
	if err := h.model.WaitCalls(h.timeout(), 2, llmtest.User("work")); err != nil {
		t.Fatal(err)
	}
	now, cancel := context.WithCancel(t.Context())
	cancel()
	h.close(now) // no time for a checkpoint: as after a crash
	gate.Release()
	h.open()
	h.events(run.ID)
	ended, message := h.answer(run.ID)
	got := decode[chatted](t, []byte(message.ToolCalls[0].Result))
	if got.Data.Response != "worked" || len(ended.Children) != 1 || !slices.Equal(h.noted(), []string{"once"}) {
		t.Errorf("answer %+v, %d runs, noted %v", got, len(ended.Children), h.noted())
	}
}

// BT9 MA6: an agent that is cancelled is reported as such, and its caller goes on;
// a caller that is cancelled takes it along.
func TestCancellingReachesAgentsThatAreCalled(t *testing.T) {
	t.Parallel()
	h := newTown(t, Profile{ID: "helper"})
	gate := llmtest.NewGate()
	t.Cleanup(gate.Release)
	h.model.On(llmtest.User("start")).Steps(llmtest.Calls(chat("helper", "work", "")), llmtest.Text("went on"))
	h.model.On(llmtest.User("work")).Reply(llmtest.Text("never").At(gate))
	conv := h.conversation()
	run := h.send(conv, "start")
	if err := h.model.WaitCalls(h.timeout(), 1, llmtest.User("work")); err != nil {
		t.Fatal(err)
	}
	view, err := h.runs.Run(t.Context(), models.LocalUserID, run.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.runs.Cancel(t.Context(), models.LocalUserID, view.Children[0].ID); err != nil {
		t.Fatal(err)
	}
	h.events(run.ID)
	_, message := h.answer(run.ID)
	if got := decode[chatted](t, []byte(message.ToolCalls[0].Result)); got.Data.Code != tools.CodeCancelled ||
		message.Text != "went on" {
		t.Errorf("answer %+v, then %q", got, message.Text)
	}

	second := h.send(conv, "start")
	if err := h.model.WaitCalls(h.timeout(), 2, llmtest.User("work")); err != nil {
		t.Fatal(err)
	}
	if _, err := h.runs.Cancel(t.Context(), models.LocalUserID, second.ID); err != nil {
		t.Fatal(err)
	}
	h.events(second.ID)
	ended, _ := h.answer(second.ID)
	if ended.Status != models.RunCancelled || ended.Children[0].Status != models.RunCancelled {
		t.Errorf("run %s, agent %s", ended.Status, ended.Children[0].Status)
	}
}

// BT9: two messages to one session at once do not get mixed up.
func TestASessionTakesOneMessageAtATime(t *testing.T) {
	t.Parallel()
	h := newTown(t, Profile{ID: "helper"})
	conv := h.conversation()
	h.model.On(llmtest.User("first")).Steps(llmtest.Calls(chat("helper", "hello", "")), llmtest.Text("ok"))
	h.model.On(llmtest.User("hello")).Reply(llmtest.Text("hi"))
	_, got := h.turn(conv, "first")
	session := got[0].Data.SessionID
	// The helper, asked in its session, has itself asked in that session.
	h.model.On(llmtest.User("again")).Steps(llmtest.Calls(chat("helper", "ask yourself", session)), llmtest.Text("ok"))
	h.model.On(llmtest.User("ask yourself")).Steps(llmtest.Calls(chat("helper", "me?", session)),
		llmtest.Text("I cannot"))
	ended, got := h.turn(conv, "again")
	if got[0].Data.Response != "I cannot" || h.model.Calls(llmtest.User("me?")) != 0 {
		t.Fatalf("answer %+v", got[0])
	}
	view, err := h.runs.Run(t.Context(), models.LocalUserID, ended.Children[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if refused := decode[chatted](t, []byte(view.ToolCalls[0].Result)); refused.Code != codeSessionBusy {
		t.Errorf("the second message answered %+v", refused)
	}
}
