package runs

import (
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/tools"
)

// threeAsks scripts a root run that fans out to two sub-agents and asks itself: the
// sub-agents' calls and the root's own wait at the same time.
func threeAsks(h *house) {
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("child", 2), note("ask root")), llmtest.Text("all done"))
	for _, name := range []string{"0", "1"} {
		h.model.On(llmtest.User("child "+name)).Steps(llmtest.Calls(note("ask "+name)),
			llmtest.Text("child "+name+" saw {{last}}"))
	}
}

// TG4, TG6, CH5: three calls wait in a run with two sub-agents; the server is
// started anew; they are decided in reverse order; nothing runs twice.
func TestThreeApprovalsAreDecidedInReverseOrderAfterARestart(t *testing.T) {
	t.Parallel()
	for _, restart := range []string{"never", "before", "between"} {
		t.Run(restart, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			threeAsks(h)
			run := h.send(h.conversation(), "go")
			waiting := h.waiting(run.ID, 3)
			h.rests(run.ID)
			again := func() {
				h.close(t.Context())
				h.open()
			}
			if restart == "before" {
				again()
			}
			for i, line := range []string{"ask root", "ask 1", "ask 0"} {
				if i > 0 && restart == "between" {
					again()
				}
				h.decide(waiting[line], nil)
			}
			events := h.events(run.ID)
			ended, message := h.answer(run.ID)
			if ended.Status != models.RunCompleted || message.Text != "all done" {
				t.Errorf("run %+v, message %q", ended, message.Text)
			}
			notes := h.noted()
			if len(notes) != 3 || notes[2] != "ask root" || !slices.Contains(notes, "ask 0") || !slices.Contains(notes,
				"ask 1") {
				t.Errorf("notes %v: want each once, the root's behind its sub-agents'", notes)
			}
			for i, result := range results(t, message.ToolCalls[0]) {
				if !result.Success || ended.Children[i].AgentPath != "main/"+result.TaskName {
					t.Errorf("result %d: %+v", i, result)
				}
			}
			for _, eventType := range []string{EventApprovalAsked, EventApprovalResolved, EventAgentStarted,
				EventAgentFinished} {
				want := 3
				if strings.HasPrefix(eventType, "agent") {
					want = 2
				}
				if got := count(events, eventType); got != want {
					t.Errorf("%d × %s, want %d", got, eventType, want)
				}
			}
		})
	}
}

func count(events []Event, eventType string) int {
	n := 0
	for _, event := range events {
		if event.Type == eventType {
			n++
		}
	}
	return n
}

// TG6, MA2: what sub-agents ask for is asked while a sibling works, and what is
// decided then runs then. One that waits holds no place among those at work.
func TestADecisionReachesASubAgentWhileItsSiblingWorks(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.change(func(s *Settings) { s.SubAgents.MaxConcurrency = 1 })
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("child", 3)), llmtest.Text("all done"))
	for _, name := range []string{"0", "1"} {
		h.model.On(llmtest.User("child "+name)).Steps(llmtest.Calls(note("ask "+name)), llmtest.Text("ok"))
	}
	h.model.On(llmtest.User("child 2")).Steps(llmtest.Calls(note("ask 2")), llmtest.Text("slow").At(gate))
	run := h.send(h.conversation(), "go")
	waiting := h.waiting(run.ID, 3) // one place, and all three have asked
	h.decide(waiting["ask 2"], nil)
	if err := h.model.WaitCalls(h.timeout(), 2, llmtest.User("child 2")); err != nil {
		t.Fatal(err)
	}
	// The third has the only place; the others get it when it is done.
	h.decide(waiting["ask 0"], func(r *DecideRequest) { r.Approve = false })
	if got := h.noted(); !slices.Equal(got, []string{"ask 2"}) {
		t.Errorf("notes %v", got)
	}
	gate.Release()
	h.until("the first ends", func() bool { return h.childStatus(run.ID, 0) == models.RunCompleted })
	h.decide(waiting["ask 1"], nil)
	h.events(run.ID)
	if ended, _ := h.answer(run.ID); ended.Status != models.RunCompleted || !slices.Equal(h.noted(),
		[]string{"ask 2", "ask 1"}) {
		t.Errorf("run %+v, notes %v", ended, h.noted())
	}
}

func (h *house) childStatus(runID string, index int) string {
	h.t.Helper()
	run, err := h.runs.Run(h.t.Context(), models.LocalUserID, runID)
	if err != nil {
		h.t.Fatal(err)
	}
	return run.Children[index].Status
}

// TG6: all is decided while one sub-agent is still at work; the run has one attempt.
func TestAllIsDecidedWhileOneSubAgentWorks(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("child", 3)), llmtest.Text("all done"))
	h.model.On(llmtest.User("child 0")).Reply(llmtest.Text("slow").At(gate))
	for _, name := range []string{"1", "2"} {
		h.model.On(llmtest.User("child "+name)).Steps(llmtest.Calls(note("ask "+name)), llmtest.Text("ok"))
	}
	run := h.send(h.conversation(), "go")
	waiting := h.waiting(run.ID, 2)
	for _, line := range []string{"ask 2", "ask 1"} {
		h.decide(waiting[line], nil)
	}
	for _, index := range []int{1, 2} {
		h.until("the decided ones end beside the slow one", func() bool {
			return h.childStatus(run.ID,
				index) == models.RunCompleted
		})
	}
	gate.Release()
	h.events(run.ID)
	if ended, _ := h.answer(run.ID); ended.Attempt != 1 || ended.Status != models.RunCompleted || len(h.noted()) != 2 {
		t.Errorf("run %+v, notes %v", ended, h.noted())
	}
}

// TG6: no decision is lost, at whatever moment between asking and letting go it comes.
func TestADecisionAtAnyMomentIsActedOn(t *testing.T) {
	t.Parallel()
	for range 5 {
		h := newHouse(t)
		threeAsks(h)
		run := h.send(h.conversation(), "go")
		watch, err := h.runs.WatchRun(t.Context(), models.LocalUserID, run.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		for ended := false; !ended; {
			event, err := watch.Next(h.timeout())
			if err != nil {
				t.Fatal(err)
			}
			switch event.Type {
			case EventApprovalAsked:
				asked := decode[approvalPayload](t, event.Data).Approval
				if _, err := h.runs.Decide(t.Context(), DecideRequest{ApprovalID: asked.ID, UserID: models.LocalUserID,
					Approve: true}); err != nil {
					t.Fatal(err)
				}
			case EventRunFinished:
				ended = true
			}
		}
		watch.Close()
		if got := h.noted(); len(got) != 3 {
			t.Fatalf("notes %v", got)
		}
	}
}

// MA6, TG6: a sub-agent that waits is cancelled, at work beside it or not; its
// approval ends, and the others go on.
func TestASubAgentThatWaitsIsCancelled(t *testing.T) {
	t.Parallel()
	for _, rests := range []bool{false, true} {
		t.Run(map[bool]string{false: "while a sibling works", true: "while all wait"}[rests], func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			gate := llmtest.NewGate()
			h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("child", 2)), llmtest.Text("all done"))
			h.model.On(llmtest.User("child 0")).Steps(llmtest.Calls(note("ask 0")), llmtest.Text("ok"))
			h.model.On(llmtest.User("child 1")).Steps(llmtest.Calls(note("ask 1")), llmtest.Text("slow").At(gate))
			run := h.send(h.conversation(), "go")
			waiting := h.waiting(run.ID, 2)
			if rests {
				h.rests(run.ID)
			} else {
				h.decide(waiting["ask 1"], nil)
				if err := h.model.WaitCalls(h.timeout(), 2, llmtest.User("child 1")); err != nil {
					t.Fatal(err)
				}
			}
			view, err := h.runs.Run(t.Context(), models.LocalUserID, run.ID)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.runs.Cancel(t.Context(), models.LocalUserID, view.Children[0].ID); err != nil {
				t.Fatal(err)
			}
			h.until("it ends", func() bool { return h.childStatus(run.ID, 0) == models.RunCancelled })
			if rests {
				h.decide(waiting["ask 1"], nil)
			}
			gate.Release()
			h.events(run.ID)
			ended, message := h.answer(run.ID)
			got := results(t, message.ToolCalls[0])
			if ended.Status != models.RunCompleted || got[0].Code != tools.CodeCancelled || !got[1].Success ||
				!slices.Equal(h.noted(), []string{"ask 1"}) {
				t.Errorf("run %+v, results %+v, notes %v", ended, got, h.noted())
			}
			if stored, err := h.store.GetApproval(t.Context(), "", waiting["ask 0"].ID); err != nil ||
				stored.Status != models.ApprovalCanceled {
				t.Errorf("its approval: %+v, %v", stored, err)
			}
		})
	}
}

// EX5, CH10: waiting for a person does not count against the limit of a sub-agent.
func TestTheTimeOfASubAgentStandsStillWhileItWaits(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("child", 1)), llmtest.Text("all done"))
	h.model.On(llmtest.User("child 0")).Steps(llmtest.Calls(note("ask 0")), llmtest.Calls(note("ask 1")),
		llmtest.Text("ok"))
	run := h.send(h.conversation(), "go")
	first := h.waiting(run.ID, 1)["ask 0"]
	h.rests(run.ID)
	stored, err := h.store.SubAgents(t.Context(), run.ID)
	if err != nil || stored[0].WorkedMicros == 0 || stored[0].Status != models.RunWaitingApproval {
		t.Fatalf("the sub-agent %+v, %v", stored, err)
	}
	rested := models.Now()
	h.until("it has waited for a while", func() bool { return models.Now()-rested > 500_000 })
	decided := models.Now()
	h.decide(first, nil)
	h.waiting(run.ID, 1)
	h.rests(run.ID)
	after, err := h.store.SubAgents(t.Context(), run.ID)
	if worked := after[0].WorkedMicros; err != nil || worked <= stored[0].WorkedMicros ||
		worked-stored[0].WorkedMicros > int64(models.Now()-decided) {
		t.Errorf("it worked %d µs, then %d µs: the wait counted, or the work did not", stored[0].WorkedMicros, worked)
	}
	if _, err := h.runs.Cancel(t.Context(), models.LocalUserID, run.ID); err != nil {
		t.Fatal(err)
	}
	h.events(run.ID)
}

// TG6, CH5 (graceful): the server is stopped while one sub-agent waits and another
// one works; both go on after the next start, and nothing runs twice.
func TestAShutdownWhileOneWaitsAndOneWorks(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("child", 2)), llmtest.Text("all done"))
	h.model.On(llmtest.User("child 0")).Steps(llmtest.Calls(note("ask 0")), llmtest.Text("ok"))
	h.model.On(llmtest.User("child 1")).Steps(llmtest.Calls(note("work 1")).At(gate), llmtest.Calls(note("work 2")),
		llmtest.Text("ok"))
	run := h.send(h.conversation(), "go")
	asked := h.waiting(run.ID, 1)["ask 0"]
	if err := h.model.WaitCalls(h.timeout(), 1, llmtest.User("child 1")); err != nil {
		t.Fatal(err)
	}
	h.runs.Drain()
	gate.Release()
	h.close(t.Context())
	h.open()
	h.decide(asked, nil)
	h.events(run.ID)
	ended, _ := h.answer(run.ID)
	notes := h.noted()
	slices.Sort(notes)
	if ended.Status != models.RunCompleted || !slices.Equal(notes, []string{"ask 0", "work 1", "work 2"}) {
		t.Errorf("run %+v, notes %v", ended, notes)
	}
}
