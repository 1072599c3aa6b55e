package runs

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/tools"
)

// fan is a call of multi_agent with n tasks whose instructions are "<prefix> <i>".
func fan(prefix string, n int, toolNames ...string) llmtest.Call {
	var tasks []fanTask
	for i := range n {
		tasks = append(tasks, fanTask{Name: fmt.Sprintf("t%d", i), Instruction: fmt.Sprintf("%s %d", prefix, i),
			Tools: toolNames})
	}
	arguments, err := json.Marshal(fanArgs{Tasks: tasks})
	if err != nil {
		panic(err)
	}
	return llmtest.Call{Name: "multi_agent", Arguments: string(arguments)}
}

func results(t *testing.T, call ToolCall) []tools.SubResult {
	t.Helper()
	result := decode[struct {
		Success bool
		Error   string
		Data    []tools.SubResult
	}](t, []byte(call.Result))
	if !result.Success {
		t.Fatalf("the fan-out failed: %s", result.Error)
	}
	return result.Data
}

// MA1 MA2: five tasks under a cap of three never have more than three in the
// model at once, keep their order, and one that fails fails alone.
func TestAFanOutKeepsItsCapAndItsOrder(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("fan out")).Steps(llmtest.Calls(fan("part", 5)), llmtest.Text("summed up"))
	h.model.On(llmtest.User("part 2")).Reply(llmtest.Failure(400, "no such thing"))
	h.model.On(llmtest.UserContains("part")).Reply(llmtest.Text("did {{user}}").At(gate))
	run := h.send(h.conversation(), "fan out")
	if err := h.model.WaitCalls(h.timeout(), 3, llmtest.UserContains("part"),
		llmtest.Not(llmtest.User("part 2"))); err != nil {
		t.Fatal(err)
	}
	gate.Release()
	h.events(run.ID)
	ended, message := h.answer(run.ID)
	if got := h.model.MaxInFlight(llmtest.UserContains("part")); got != 3 {
		t.Errorf("%d sub-agents were in the model at once, want 3", got)
	}
	for i, result := range results(t, message.ToolCalls[0]) {
		want := tools.SubResult{TaskName: fmt.Sprintf("t%d", i), Success: i != 2}
		if result.TaskName != want.TaskName || result.Success != want.Success ||
			(i != 2 && result.Response != fmt.Sprintf("did part %d", i)) {
			t.Errorf("result %d: %+v", i, result)
		}
	}
	own := ended.Usage.TotalTokens
	for _, child := range ended.Children {
		own -= child.Usage.TotalTokens
	}
	// A21: what an answer cost is what its sub-agents used, too.
	if own <= 0 || own >= ended.Usage.TotalTokens || message.Usage.TotalTokens != ended.Usage.TotalTokens {
		t.Errorf("the run used %+v, its message says %+v", ended.Usage, message.Usage)
	}
	if len(ended.Children) != 5 || message.Text != "summed up" || ended.Children[1].AgentPath != "main/t1" {
		t.Errorf("run %+v, message %q", ended, message.Text)
	}
}

// MA2: more tasks than max_tasks are refused with what to do.
func TestTooManyTasksAreRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("part", 7)), llmtest.Text("ok"))
	run := h.send(h.conversation(), "go")
	h.events(run.ID)
	ended, message := h.answer(run.ID)
	if call := message.ToolCalls[0]; call.Success || !strings.Contains(call.Result, "at most 5") ||
		len(ended.Children) != 0 {
		t.Errorf("call %+v, children %v", call, ended.Children)
	}
}

// MA3 MA4: a sub-agent is never offered multi_agent, and a forged call of it, or
// of a tool outside its list, is refused by the executor.
func TestASubAgentCannotFanOutOrUseWhatItWasNotGiven(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("forge", 1, "look", "multi_agent")), llmtest.Text("ok"))
	h.model.On(llmtest.User("forge 0")).Steps(
		llmtest.Calls(fan("deeper", 1), llmtest.Call{Name: "note", Arguments: `{"line":"x"}`},
			llmtest.Call{Name: "look", Arguments: `{}`}),
		llmtest.Text("tried"))
	run := h.send(h.conversation(), "go")
	h.events(run.ID)
	for _, request := range h.model.Requests(llmtest.User("forge 0")) {
		if request.Offers("multi_agent") || request.Offers("note") {
			t.Errorf("the sub-agent was offered %v", request.ToolNames())
		}
	}
	ended, _ := h.answer(run.ID)
	child, err := h.runs.Run(t.Context(), models.LocalUserID, ended.Children[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for i, wantCode := range []string{tools.CodeBlocked, tools.CodeBlocked, ""} {
		call := child.ToolCalls[i]
		if call.Success != (wantCode == "") || (wantCode != "" && !strings.Contains(call.Result,
			`"code":"`+wantCode+`"`)) {
			t.Errorf("%s answered %s", call.Function.Name, call.Result)
		}
	}
	if h.model.Calls(llmtest.UserContains("deeper")) != 0 || len(h.noted()) != 0 {
		t.Error("a refused call had an effect")
	}
}

// MA6: one cancelled child leaves the others and the parent alive, and is reported as cancelled.
func TestCancellingOneChildLeavesTheOthers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("part", 3)), llmtest.Text("ok"))
	h.model.On(llmtest.UserContains("part")).Reply(llmtest.Text("done").At(gate))
	run := h.send(h.conversation(), "go")
	if err := h.model.WaitCalls(h.timeout(), 3, llmtest.UserContains("part")); err != nil {
		t.Fatal(err)
	}
	view, err := h.runs.Run(t.Context(), models.LocalUserID, run.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.runs.Cancel(t.Context(), models.LocalUserID, view.Children[1].ID); err != nil {
		t.Fatal(err)
	}
	gate.Release()
	h.events(run.ID)
	ended, message := h.answer(run.ID)
	got := results(t, message.ToolCalls[0])
	if !got[0].Success || got[1].Success || got[1].Code != tools.CodeCancelled || !got[2].Success {
		t.Errorf("results %+v", got)
	}
	if ended.Status != models.RunCompleted || ended.Children[1].Status != models.RunCancelled {
		t.Errorf("run %+v", ended)
	}
}

// MA5: the last iteration offers no tools; what a model that still calls one has
// said comes back as incomplete.
func TestTheLastIterationOffersNoTools(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("stubborn", 1)), llmtest.Text("ok"))
	look := llmtest.Call{Name: "look", Arguments: `{}`}
	h.model.On(llmtest.User("stubborn 0")).Steps(llmtest.Calls(look).WithText("first"), llmtest.Calls(look, look),
		llmtest.Calls(look, look, look), llmtest.Calls(look))
	run := h.send(h.conversation(), "go")
	h.events(run.ID)
	requests := h.model.Requests(llmtest.User("stubborn 0"))
	if len(requests) != 4 || len(requests[3].ToolNames()) != 0 || len(requests[2].ToolNames()) == 0 {
		t.Fatalf("%d requests, the last offered %v", len(requests), requests[len(requests)-1].ToolNames())
	}
	_, message := h.answer(run.ID)
	if got := results(t, message.ToolCalls[0])[0]; !got.Success || !got.Incomplete || got.Response != "first" {
		t.Errorf("result %+v", got)
	}
}

// MA5: text beside a call that cannot be had is a part of an answer, not the answer.
func TestTextBesideACallInTheLastIterationIsIncomplete(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.change(func(s *Settings) { s.SubAgents.MaxIterations = 1 })
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("eager", 1)), llmtest.Text("ok"))
	h.model.On(llmtest.User("eager 0")).Reply(llmtest.Calls(llmtest.Call{Name: "look",
		Arguments: "{}"}).WithText("let me look"))
	run := h.send(h.conversation(), "go")
	h.events(run.ID)
	_, message := h.answer(run.ID)
	if got := results(t, message.ToolCalls[0])[0]; !got.Success || !got.Incomplete || got.Response != "let me look" {
		t.Errorf("result %+v", got)
	}
}

// MA6: a sub-agent that still waits for its turn can be cancelled too.
func TestAQueuedChildCanBeCancelled(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("part", 4)), llmtest.Text("ok"))
	h.model.On(llmtest.UserContains("part")).Reply(llmtest.Text("done").At(gate))
	run := h.send(h.conversation(), "go")
	if err := h.model.WaitCalls(h.timeout(), 3, llmtest.UserContains("part")); err != nil {
		t.Fatal(err)
	}
	view, err := h.runs.Run(t.Context(), models.LocalUserID, run.ID)
	if err != nil {
		t.Fatal(err)
	}
	queued := 0
	for i, child := range view.Children {
		if child.Status == models.RunQueued {
			queued = i
		}
	}
	if _, err := h.runs.Cancel(t.Context(), models.LocalUserID, view.Children[queued].ID); err != nil {
		t.Fatal(err)
	}
	gate.Release()
	h.events(run.ID)
	ended, message := h.answer(run.ID)
	for i, result := range results(t, message.ToolCalls[0]) {
		if result.Success == (i == queued) {
			t.Errorf("result %d of which %d was cancelled: %+v", i, queued, result)
		}
	}
	if got := h.model.Calls(llmtest.UserContains("part")); got != 3 || ended.Status != models.RunCompleted {
		t.Errorf("%d model calls of sub-agents, run %s", got, ended.Status)
	}
}

// MA6, CH3: a cancel is a cancel at whatever moment it comes, and costs the others
// nothing.
func TestACancelAtAnyMomentIsACancel(t *testing.T) {
	t.Parallel()
	for i := range 12 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("part", 3)), llmtest.Text("ok"))
			h.model.On(llmtest.UserContains("part")).Reply(llmtest.Text("done").After(time.Millisecond,
				time.Millisecond))
			run := h.send(h.conversation(), "go")
			victim := ""
			for ctx := h.timeout(); victim == ""; {
				view, err := h.runs.Run(ctx, models.LocalUserID, run.ID)
				if err != nil {
					t.Fatal(err)
				}
				if len(view.Children) == 3 {
					victim = view.Children[i%3].ID
				}
			}
			cancelled, err := h.runs.Cancel(t.Context(), models.LocalUserID, victim)
			if err != nil {
				t.Fatal(err)
			}
			h.events(run.ID)
			ended, message := h.answer(run.ID)
			if ended.Status != models.RunCompleted || ended.Attempt != 1 {
				t.Errorf("the root is %s at attempt %d: %+v", ended.Status, ended.Attempt, ended.Error)
			}
			for j, result := range results(t, message.ToolCalls[0]) {
				if !result.Success && (j != i%3 || result.Code != tools.CodeCancelled) {
					t.Errorf("result %d of which %d was cancelled (%s): %+v", j, i%3, cancelled.Status, result)
				}
			}
		})
	}
}

// CH3: the same for a root run.
func TestACancelOfARootRunAtAnyMomentIsACancel(t *testing.T) {
	t.Parallel()
	for i := range 16 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.model.On(llmtest.User("go")).Steps(llmtest.Calls(llmtest.Call{Name: "look", Arguments: "{}"}).After(0,
				time.Millisecond), llmtest.Text("ok").After(20*time.Millisecond, 0))
			run := h.send(h.conversation(), "go")
			timer := time.NewTimer(time.Duration(i) * time.Millisecond)
			<-timer.C
			if _, err := h.runs.Cancel(t.Context(), models.LocalUserID, run.ID); err != nil {
				t.Fatal(err)
			}
			h.events(run.ID)
			if ended, _ := h.answer(run.ID); ended.Status != models.RunCancelled &&
				ended.Status != models.RunCompleted {
				t.Errorf("the run is %s: %+v", ended.Status, ended.Error)
			}
		})
	}
}
