package runs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/tools"
)

// liveTimeout is the time limit of the tool errand.
const liveTimeout = 2 * time.Second

// addErrand registers a tool that asks in the middle of its call.
func (h *house) addErrand() {
	h.registry.Register(tools.Define("errand", "ask, then act", func(ctx context.Context, call tools.Call, args noteArgs) (string, error) {
		grant, err := h.runs.AskLive(ctx, call, LiveAsk{
			Arguments: map[string]any{"line": args.Line}, Findings: []guard.Finding{{ID: "errand", Severity: guard.Medium, Message: "it wants to act"}},
		})
		if err != nil {
			return "", err
		}
		if !grant.Approved {
			return fmt.Sprintf("refused: %q by %q", grant.Reason, grant.By), nil
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.lines = append(h.lines, args.Line)
		return "acted", nil
	}, tools.Effect(tools.Writes), tools.Timeout(liveTimeout)))
}

func errand(line string) llmtest.Call {
	return llmtest.Call{Name: "errand", Arguments: `{"line":"` + line + `"}`}
}

// EX5, TG5, MA2: a tool asks in the middle of its call. The wait counts against no
// limit and holds no place among the sub-agents; it can be approved once only.
func TestAToolAsksInTheMiddleOfItsCall(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.addErrand()
	h.change(func(s *Settings) {
		s.SubAgents.MaxConcurrency, s.SubAgents.Timeout = 1, liveTimeout
	})
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("child", 2)), llmtest.Text("all done"))
	h.model.On(llmtest.User("child 0")).Steps(llmtest.Calls(errand("x")), llmtest.Text("saw {{last}}"))
	h.model.On(llmtest.User("child 1")).Reply(llmtest.Text("quick"))
	run := h.send(h.conversation(), "go")
	asked := h.waiting(run.ID, 1)["x"]
	h.until("the other one has the place meanwhile", func() bool { return h.childStatus(run.ID, 1) == models.RunCompleted })
	h.until("it waits longer than the limits", func() bool { return models.Now()-asked.CreatedAt > models.Time(liveTimeout.Microseconds()) })
	for _, change := range []func(*DecideRequest){
		func(r *DecideRequest) { r.Scope = models.ScopeAlways },
		func(r *DecideRequest) { r.Arguments = map[string]any{"line": "y"} },
	} {
		var invalid *InvalidError
		if _, err := h.tryDecide(asked, change); !errors.As(err, &invalid) {
			t.Errorf("decided for more than once: %v", err)
		}
	}
	h.decide(asked, nil)
	h.events(run.ID)
	ended, message := h.answer(run.ID)
	got := results(t, message.ToolCalls[0])
	if ended.Attempt != 1 || !got[0].Success || !strings.Contains(got[0].Response, "acted") || len(h.noted()) != 1 {
		t.Errorf("run %+v, results %+v, notes %v", ended, got, h.noted())
	}
}

// TG4: a denial reaches the tool with its reason.
func TestAToolThatAsksIsToldNo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.addErrand()
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(errand("x")), llmtest.Text("saw {{last}}"))
	run := h.send(h.conversation(), "go")
	h.decide(h.waiting(run.ID, 1)["x"], func(r *DecideRequest) { r.Approve, r.Reason = false, "not now" })
	h.events(run.ID)
	if _, message := h.answer(run.ID); !strings.Contains(message.Text, "not now") || len(h.noted()) != 0 {
		t.Errorf("message %q, notes %v", message.Text, h.noted())
	}
}

// CH3, CH5: a question ends with its call: when the run is stopped, and when the
// process dies, behind which the call's outcome is unknown.
func TestAQuestionEndsWithItsCall(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"stopped", "died"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.addErrand()
			h.model.On(llmtest.User("go")).Steps(llmtest.Calls(errand("x")), llmtest.Text("saw {{last}}"))
			run := h.send(h.conversation(), "go")
			asked := h.waiting(run.ID, 1)["x"]
			want := models.RunCancelled
			if end == "stopped" {
				if _, err := h.runs.Cancel(t.Context(), models.LocalUserID, run.ID); err != nil {
					t.Fatal(err)
				}
			} else {
				want = models.RunCompleted
				dead, cancel := context.WithCancel(t.Context())
				cancel()
				h.close(dead)
				h.open()
			}
			h.events(run.ID)
			ended, message := h.answer(run.ID)
			if ended.Status != want || end == "died" && !strings.Contains(message.Text, tools.CodeOutcomeUnknown) && !strings.Contains(message.Text, tools.CodeCancelled) {
				t.Errorf("run %+v, message %q", ended, message.Text)
			}
			if stored, err := h.store.GetApproval(t.Context(), "", asked.ID); err != nil || stored.Status != models.ApprovalCanceled || len(h.noted()) != 0 {
				t.Errorf("approval %+v, notes %v, %v", stored, h.noted(), err)
			}
		})
	}
}

// CH3: runs that wait are cancelled although every worker is busy.
func TestARunThatWaitsIsCancelledWhileAllWorkersAreBusy(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	t.Cleanup(gate.Release)
	h.model.On(llmtest.User("wait")).Steps(llmtest.Calls(note("ask 1")), llmtest.Text("done"))
	h.model.On(llmtest.User("busy")).Reply(llmtest.Text("slow").At(gate))
	run := h.send(h.conversation(), "wait")
	h.waiting(run.ID, 1)
	h.rests(run.ID)
	for range h.runs.Workers {
		h.send(h.conversation(), "busy")
	}
	if err := h.model.WaitCalls(h.patience(), h.runs.Workers, llmtest.User("busy")); err != nil {
		t.Fatal(err)
	}
	if _, err := h.runs.Cancel(t.Context(), models.LocalUserID, run.ID); err != nil {
		t.Fatal(err)
	}
	h.events(run.ID)
	if ended, _ := h.answer(run.ID); ended.Status != models.RunCancelled {
		t.Errorf("run %+v", ended)
	}
}
