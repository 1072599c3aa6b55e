package runs

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/services"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

const maxTasks = 2

// addTasks registers the tools of background tasks.
func (h *house) addTasks() {
	service := func(call tools.Call) tools.Tasks {
		tasks, err := services.Get(call.Services, tools.TasksKey)
		if err != nil {
			h.t.Error(err)
		}
		return tasks
	}
	h.registry.Register(tools.Define("submit_agent_task", "submit", func(ctx context.Context, call tools.Call,
		args submitArgs) (tools.TaskState, error) {
		return service(call).Submit(ctx, call, args.Agent, args.Instruction)
	}, tools.Effect(tools.Resumes)))
	h.registry.Register(tools.Define("check_agent_task", "check", func(ctx context.Context, call tools.Call,
		args taskArgs) (tools.TaskState, error) {
		return service(call).Check(ctx, call, args.TaskID)
	}, tools.Effect(tools.Volatile)))
	h.registry.Register(tools.Define("cancel_agent_task", "cancel", func(ctx context.Context, call tools.Call,
		args taskArgs) (tools.TaskState, error) {
		return service(call).Cancel(ctx, call, args.TaskID)
	}, tools.Effect(tools.Writes)))
}

type submitArgs struct {
	Agent       string `json:"agent,omitempty"`
	Instruction string `json:"instruction"`
}

type taskArgs struct {
	TaskID string `json:"task_id"`
}

func submit(agent, instruction string) llmtest.Call {
	arguments, err := json.Marshal(submitArgs{agent, instruction})
	if err != nil {
		panic(err)
	}
	return llmtest.Call{Name: "submit_agent_task", Arguments: string(arguments)}
}

// ofTask is the result of a call about a task as the model sees it.
type ofTask struct {
	Success bool
	Error   string
	Code    string
	Data    tools.TaskState
}

// ask sends a message, and returns the results of its calls once it is answered.
func (h *house) ask(conv *models.Conversation, text string) []ofTask {
	h.t.Helper()
	run := h.send(conv, text)
	h.events(run.ID)
	_, message := h.answer(run.ID)
	var results []ofTask
	for _, call := range message.ToolCalls {
		results = append(results, decode[ofTask](h.t, []byte(call.Result)))
	}
	return results
}

// submitted makes the model submit a task with that instruction, and returns its id.
func (h *house) submitted(conv *models.Conversation, instruction string) string {
	h.t.Helper()
	text := "please submit: " + instruction
	h.model.On(llmtest.User(text)).Steps(llmtest.Calls(submit("", instruction)), llmtest.Text("it is on its way"))
	results := h.ask(conv, text)
	if len(results) != 1 || !results[0].Success || results[0].Data.Status != models.RunQueued {
		h.t.Fatalf("submitting answered %+v", results)
	}
	return results[0].Data.ID
}

// branch are the texts of a conversation's active branch.
func (h *house) branch(conv *models.Conversation) []string {
	h.t.Helper()
	now, err := h.store.GetConversation(h.t.Context(), models.LocalUserID, conv.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	messages, err := h.store.Branch(h.t.Context(), conv.ID, now.ActiveLeafID)
	if err != nil {
		h.t.Fatal(err)
	}
	var texts []string
	for _, message := range messages {
		texts = append(texts, message.Text)
	}
	return texts
}

// stopHard ends the backend as a crash does: nothing is released or told.
func (h *house) stopHard() {
	h.t.Helper()
	dead, cancel := context.WithCancel(h.t.Context())
	cancel()
	h.close(dead)
}

// MD4, BT9: a task goes on after the turn that submitted it, in a run of its own, and its
// end is a message that the next turn's model sees.
func TestABackgroundTaskOutlivesItsTurnAndItsEndIsAnnounced(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.addTasks()
	conv, gate := h.conversation(), llmtest.NewGate()
	h.model.On(llmtest.User("count the stars")).Reply(llmtest.Text("there are 42").At(gate))
	id := h.submitted(conv, "count the stars")
	watch, err := h.runs.WatchConversation(t.Context(), models.LocalUserID, conv.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	gate.Release()
	h.events(id)
	run, message := h.answer(id)
	if run.Status != models.RunCompleted || message.Text != "there are 42" || run.TaskOf == nil || *run.TaskOf != conv.ID ||
		run.ConversationID == conv.ID || run.TaskName != "count the stars" {
		t.Errorf("the task's run %+v answered %q", run, message.Text)
	}
	want := []string{"please submit: count the stars", "it is on its way",
		"**Background task “count the stars” completed.**\n\nthere are 42"}
	if got := h.branch(conv); !slices.Equal(got, want) {
		t.Errorf("the conversation is %q, want %q", got, want)
	}
	var told []string
	for len(told) < 2 {
		event, err := watch.Next(h.timeout())
		if err != nil {
			t.Fatal(err)
		}
		switch event.Type {
		case EventMessageCreated:
			view := decode[messagePayload](t, event.Data).Message
			if view.Task == nil || view.Task.RunID != id || view.Task.Status != models.RunCompleted || view.RunID != "" {
				t.Errorf("the announcement is %s", event.Data)
			}
			told = append(told, event.Type)
		case EventTaskUpdated:
			if ended := decode[runPayload](t, event.Data).Run; ended.ID == id && models.RunEnded(ended.Status) {
				told = append(told, event.Type)
			}
		}
	}
	h.model.On(llmtest.User("how many?")).Reply(llmtest.Text("42"))
	h.ask(conv, "how many?")
	request := h.model.Requests(llmtest.User("how many?"))[0].Messages
	before := request[len(request)-2]
	if before.Role != "assistant" || !strings.Contains(before.Text, "it is on its way") ||
		!strings.Contains(before.Text, "there are 42") {
		t.Errorf("the next turn saw %+v", request)
	}
	list, err := h.store.ListConversations(t.Context(), models.LocalUserID, store.ConversationQuery{})
	if err != nil || len(list.Items) != 1 {
		t.Errorf("the list of conversations has %d, %v: want the person's alone", len(list.Items), err)
	}
}

// MD4: the end of a task that comes during a turn is announced behind the turn's answer.
func TestATaskThatEndsDuringATurnIsAnnouncedBehindItsAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.addTasks()
	conv, gate := h.conversation(), llmtest.NewGate()
	h.model.On(llmtest.User("quick")).Reply(llmtest.Text("quickly done"))
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(submit("", "quick")), llmtest.Text("my answer").At(gate))
	run := h.send(conv, "go")
	if err := h.model.WaitCalls(h.timeout(), 3); err != nil {
		t.Fatal(err)
	}
	tasks, err := h.store.ListTasks(t.Context(), models.LocalUserID, store.TaskQuery{ConversationID: conv.ID})
	if err != nil || len(tasks.Items) != 1 {
		t.Fatalf("tasks %v, %v", tasks.Items, err)
	}
	h.events(tasks.Items[0].ID)
	if got := h.branch(conv); len(got) != 1 {
		t.Errorf("during the turn the conversation is %q", got)
	}
	h.model.On(llmtest.User("and then?")).Reply(llmtest.Text("nothing more"))
	next, err := h.runs.StartTurn(t.Context(), StartRequest{UserID: models.LocalUserID, ConversationID: conv.ID,
		Text: "and then?", Queue: true})
	if err != nil {
		t.Fatal(err)
	}
	gate.Release()
	h.events(run.ID)
	h.events(next.ID)
	want := []string{"go", "my answer", "**Background task “quick” completed.**\n\nquickly done", "and then?",
		"nothing more"}
	if got := h.branch(conv); !slices.Equal(got, want) {
		t.Errorf("the conversation is %q, want %q", got, want)
	}
}

// MD4, CH5: a task goes on after a crash behind what it has done, and is announced once.
func TestABackgroundTaskSurvivesACrash(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.addTasks()
	conv, gate := h.conversation(), llmtest.NewGate()
	h.workWithNote(gate)
	id := h.submitted(conv, "work")
	if err := h.model.WaitCalls(h.timeout(), 4); err != nil {
		t.Fatal(err)
	}
	h.stopHard()
	gate.Release()
	h.open()
	h.events(id)
	run, _ := h.answer(id)
	if run.Status != models.RunCompleted || run.Attempt != 2 || !slices.Equal(h.noted(), []string{"once"}) {
		t.Errorf("the task's run %+v, notes %v", run, h.noted())
	}
	if got := h.branch(conv); len(got) != 3 || !strings.Contains(got[2], "completed") {
		t.Errorf("the conversation is %q", got)
	}
}

// MD4, GR4: a task whose replica died goes on elsewhere.
func TestABackgroundTaskIsTakenOverByAnotherReplica(t *testing.T) {
	t.Parallel()
	first, second := newReplicas(t, 2*time.Second)
	first.addTasks()
	conv, gate := first.conversation(), llmtest.NewGate()
	first.workWithNote(gate)
	id := first.submitted(conv, "work")
	if err := first.model.WaitCalls(first.timeout(), 4); err != nil {
		t.Fatal(err)
	}
	dead, cancel := context.WithCancel(t.Context())
	cancel()
	first.runs.Shutdown(dead)
	gate.Release()
	second.join()
	second.wantContinued(first, id)
	if got := second.branch(conv); len(got) != 3 || !strings.Contains(got[2], "completed") {
		t.Errorf("the conversation is %q", got)
	}
}

// MD4: a task is looked at and cancelled from the conversation that submitted it, and
// from no other one.
func TestABackgroundTaskIsCheckedAndCancelledFromTheChat(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.addTasks()
	conv, gate := h.conversation(), llmtest.NewGate()
	defer gate.Release()
	h.model.On(llmtest.User("work")).Steps(llmtest.Calls(llmtest.Call{Name: "note", Arguments: `{"line":"x"}`}),
		llmtest.Text("never").At(gate))
	id := h.submitted(conv, "work")
	if err := h.model.WaitCalls(h.timeout(), 4); err != nil {
		t.Fatal(err)
	}
	of := func(tool string) llmtest.Call { return llmtest.Call{Name: tool, Arguments: `{"task_id":"` + id + `"}`} }
	h.model.On(llmtest.User("from elsewhere")).Steps(llmtest.Calls(of("check_agent_task"), of("cancel_agent_task")),
		llmtest.Text("no"))
	for _, result := range h.ask(h.conversation(), "from elsewhere") {
		if result.Success || result.Code != store.CodeNotFound {
			t.Errorf("another conversation's call answered %+v", result)
		}
	}
	h.model.On(llmtest.User("look")).Steps(llmtest.Calls(of("check_agent_task")), llmtest.Text("ok"))
	if got := h.ask(conv, "look")[0].Data; got.Status != models.RunRunning || got.Calls != 1 {
		t.Errorf("at work it is %+v", got)
	}
	h.model.On(llmtest.User("stop")).Steps(llmtest.Calls(of("cancel_agent_task")), llmtest.Text("ok"))
	if got := h.ask(conv, "stop"); !got[0].Success {
		t.Errorf("cancelling answered %+v", got)
	}
	h.events(id)
	if run, _ := h.answer(id); run.Status != models.RunCancelled {
		t.Errorf("the task's run is %s", run.Status)
	}
	got := h.branch(conv)
	if last := got[len(got)-1]; !strings.Contains(last, "was cancelled") {
		t.Errorf("the conversation ends with %q", last)
	}
}

// MD4: a conversation has at most so many tasks at work; a task and a sub-agent submit none.
func TestBackgroundTasksAreCappedAndNotRecursive(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.addTasks()
	conv, gate := h.conversation(), llmtest.NewGate()
	h.model.On(llmtest.UserContains("wait")).Reply(llmtest.Text("done").At(gate))
	h.model.On(llmtest.User("three")).Steps(llmtest.Calls(submit("", "wait 1"), submit("", "wait 2"), submit("", "wait 3"),
		submit("", " "), submit("nobody", "x")), llmtest.Text("ok"))
	results := h.ask(conv, "three")
	if !results[0].Success || !results[1].Success || results[2].Code != codeTooManyTasks ||
		results[3].Code != tools.CodeInvalidArguments || results[4].Code != codeUnknownAgent {
		t.Errorf("the calls answered %+v", results)
	}
	gate.Release()
	h.events(results[0].Data.ID)
	h.events(results[1].Data.ID)
	h.model.On(llmtest.User("again")).Steps(llmtest.Calls(submit("", "deeper")), llmtest.Text("refused"))
	nested := h.submitted(conv, "again")
	h.events(nested)
	_, message := h.answer(nested)
	if got := decode[ofTask](t, []byte(message.ToolCalls[0].Result)); got.Code != tools.CodeBlocked {
		t.Errorf("a task's own submission answered %+v", got)
	}
	for _, tool := range h.model.Requests(llmtest.User("again"))[0].Tools {
		if tool.Name == submitTool {
			t.Error("the tool was offered to a background task")
		}
	}
	h.model.On(llmtest.User("fan")).Steps(llmtest.Calls(llmtest.Call{Name: "multi_agent",
		Arguments: `{"tasks":[{"name":"a","instruction":"again"}]}`}), llmtest.Text("ok"))
	before, err := h.store.ListTasks(t.Context(), models.LocalUserID, store.TaskQuery{})
	if err != nil {
		t.Fatal(err)
	}
	run := h.send(conv, "fan")
	h.events(run.ID)
	after, err := h.store.ListTasks(t.Context(), models.LocalUserID, store.TaskQuery{})
	if err != nil || len(after.Items) != len(before.Items) {
		t.Errorf("a sub-agent made a task: %d after %d, %v", len(after.Items), len(before.Items), err)
	}
}

// MD4: a task may use what both it and the agent that submitted it may use, and a
// permission for the conversation that it came from holds for it.
func TestABackgroundTaskHasThePermissionsOfWhoeverSubmittedIt(t *testing.T) {
	t.Parallel()
	h := newTown(t, Profile{ID: "reader", Tools: []string{"submit_agent_task", "who"}}, Profile{ID: "writer"})
	h.addTasks()
	conv := &models.Conversation{ID: store.NewID(), UserID: models.LocalUserID, ToolsEnabled: true, Agent: "reader"}
	if err := h.store.CreateConversation(t.Context(), conv); err != nil {
		t.Fatal(err)
	}
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(submit("writer", "write")), llmtest.Text("ok"))
	h.model.On(llmtest.User("write")).Steps(llmtest.Calls(llmtest.Call{Name: "note", Arguments: `{"line":"x"}`},
		llmtest.Call{Name: "who", Arguments: `{"line":"y"}`}), llmtest.Text("ok"))
	id := h.ask(conv, "go")[0].Data.ID
	h.events(id)
	run, message := h.answer(id)
	if run.Agent != "writer" || !strings.Contains(message.ToolCalls[0].Result, tools.CodeBlocked) || len(h.noted()) != 0 {
		t.Errorf("the task wrote: %+v, notes %v", message.ToolCalls, h.noted())
	}
	if who := message.ToolCalls[1].Result; !strings.Contains(who, `"callers":["reader"]`) {
		t.Errorf("the call knows %s", who)
	}
}

// MD4: a call that is entered again after a crash finds the task that it made.
func TestSubmittingAgainWithTheSameCallFindsTheTask(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.addTasks()
	conv, gate := h.conversation(), llmtest.NewGate()
	h.model.On(llmtest.User("hold")).Reply(llmtest.Text("held").At(gate))
	h.model.On(llmtest.User("once")).Reply(llmtest.Text("done"))
	run := h.send(conv, "hold")
	if err := h.model.WaitCalls(h.timeout(), 1); err != nil {
		t.Fatal(err)
	}
	call := tools.Call{ID: store.NewID(), RunID: run.ID, RootRunID: run.ID, ConversationID: conv.ID,
		UserID: models.LocalUserID}
	tasks := h.runs.Tasks(func() int { return maxTasks })
	first, err := tasks.Submit(t.Context(), call, "", "once")
	if err != nil {
		t.Fatal(err)
	}
	again, err := tasks.Submit(t.Context(), call, "", "once")
	if err != nil || again.ID != first.ID {
		t.Errorf("entered again: %+v, %v; want the task %s", again, err, first.ID)
	}
	gate.Release()
	h.events(run.ID)
	h.events(first.ID)
}

// MD4: tasks go with the conversation that they were submitted in.
func TestDeletingAConversationDeletesItsTasks(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.addTasks()
	conv := h.conversation()
	h.model.On(llmtest.User("work")).Reply(llmtest.Text("done"))
	id := h.submitted(conv, "work")
	h.events(id)
	run, _ := h.answer(id)
	if err := h.store.DeleteConversation(t.Context(), models.LocalUserID, conv.ID, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.GetConversation(t.Context(), models.LocalUserID, run.ConversationID); !store.IsCode(err,
		store.CodeNotFound) {
		t.Errorf("the task's conversation: %v", err)
	}
	if _, err := h.store.Run(t.Context(), "", id); !store.IsCode(err, store.CodeNotFound) {
		t.Errorf("the task's run: %v", err)
	}
}

// MD4, TG3: what a person forbids in the conversation that a task was submitted in is
// forbidden to the task, also afterwards.
func TestThePermissionModeOfAConversationHoldsForItsTasks(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.addTasks()
	conv := h.conversation()
	h.model.On(llmtest.User("count the stars")).Reply(llmtest.Text("there are 42"))
	id := h.submitted(conv, "count the stars")
	h.events(id)
	task, _ := h.answer(id)
	for _, step := range []struct{ home, own, want string }{
		{guard.ModeAuto, guard.ModeAuto, guard.ModeAuto},
		{guard.ModePlan, guard.ModeAuto, guard.ModePlan},
		{guard.ModeAuto, guard.ModeAsk, guard.ModeAsk},
		{guard.ModeAsk, guard.ModeEdits, guard.ModeAsk},
	} {
		for id, mode := range map[string]string{conv.ID: step.home, task.ConversationID: step.own} {
			_, err := h.store.UpdateConversation(t.Context(), models.LocalUserID, id, 0,
				func(c *models.Conversation) error { c.PermissionMode = mode; return nil })
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := PermissionMode(t.Context(), h.store, models.LocalUserID, task.ConversationID)
		if err != nil || got != step.want {
			t.Errorf("with %s in the conversation and %s in the task's: %s, %v", step.home, step.own, got, err)
		}
	}
}
