package runs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// liveTimeout is the time limit of the tool errand.
const liveTimeout = 2 * time.Second

// addErrand registers a tool that asks in the middle of its call.
func (h *house) addErrand() {
	h.registry.Register(tools.Define("errand", "ask, then act", func(ctx context.Context, call tools.Call,
		args noteArgs) (string, error) {
		grant, err := h.runs.AskLive(ctx, call, LiveAsk{
			Arguments: map[string]any{"line": args.Line}, Findings: []guard.Finding{{ID: "errand",
				Severity: guard.Medium, Message: "it wants to act"}},
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
	h.until("the other one has the place meanwhile", func() bool {
		return h.childStatus(run.ID,
			1) == models.RunCompleted
	})
	h.until("it waits longer than the limits",
		func() bool { return models.Now()-asked.CreatedAt > models.Time(liveTimeout.Microseconds()) })
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
			if ended.Status != want || end == "died" && !strings.Contains(message.Text, tools.CodeOutcomeUnknown) &&
				!strings.Contains(message.Text, tools.CodeCancelled) {
				t.Errorf("run %+v, message %q", ended, message.Text)
			}
			if stored, err := h.store.GetApproval(t.Context(), "", asked.ID); err != nil ||
				stored.Status != models.ApprovalCanceled || len(h.noted()) != 0 {
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
	if err := h.model.WaitCalls(h.timeout(), h.runs.Workers, llmtest.User("busy")); err != nil {
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

// addForm registers a tool that asks a person for a form with one required line,
// and then the model what it thinks of it.
func (h *house) addForm() {
	h.registry.Register(tools.Define("form", "ask a person, then the model", func(ctx context.Context, call tools.Call,
		_ struct{}) (string, error) {
		grant, err := h.runs.AskLive(ctx, call, LiveAsk{
			Arguments: map[string]any{"line": nil, "key": "the-secret-key-123", "count": 1},
			Findings:  []guard.Finding{{ID: "form", Severity: guard.Medium, Message: "which line shall it be?"}},
			Fill: func(written map[string]any) (map[string]any, error) {
				if written["line"] == nil {
					return nil, errors.New("line is missing")
				}
				return written, nil
			},
		})
		if err != nil || !grant.Approved {
			return "refused: " + grant.Reason, err
		}
		response, _, err := h.runs.AskModel(ctx, call,
			llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "on its own"}}})
		if err != nil {
			return "", err
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.lines = append(h.lines, grant.Arguments, response.Text)
		return "acted", nil
	}, tools.Effect(tools.Writes)))
}

// TG4, TG5, OB6: a question within a call may be a form: approving fills it in, what
// does not fit is refused and goes on waiting, covered defaults stay what they are,
// and the audit says what was asked and answered. What the tool asks the model counts.
func TestAFormIsFilledInInTheMiddleOfACall(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.addForm()
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(llmtest.Call{Name: "form", Arguments: `{}`}),
		llmtest.Text("all done"))
	h.model.On(llmtest.User("on its own")).Reply(llmtest.Text("I agree"))
	run := h.send(h.conversation(), "go")
	var asked *models.Approval
	for _, asked = range h.waiting(run.ID, 1) {
	}
	if strings.Contains(asked.Arguments, "the-secret-key") {
		t.Errorf("shown: %s", asked.Arguments)
	}
	shown, _, err := tools.ParseArguments(asked.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(*DecideRequest){
		func(*DecideRequest) {}, // the defaults are not enough
		func(r *DecideRequest) { r.Arguments = map[string]any{"count": 2} },
		func(r *DecideRequest) { r.Arguments, r.Scope = map[string]any{"line": "x"}, models.ScopeAlways },
		func(r *DecideRequest) { r.Arguments, r.Approve = map[string]any{"line": "x"}, false },
	} {
		var invalid *InvalidError
		if _, err := h.tryDecide(asked, change); !errors.As(err, &invalid) {
			t.Errorf("decided: %v", err)
		}
	}
	shown["line"] = "mine"
	h.decide(asked, func(r *DecideRequest) { r.Arguments = shown })
	events := h.events(run.ID)
	ended, message := h.answer(run.ID)
	got := h.noted()
	if len(got) != 2 || got[0] != `{"count":1,"key":"the-secret-key-123","line":"mine"}` || got[1] != "I agree" {
		t.Errorf("noted %q, message %+v", got, message)
	}
	used, _, err := h.store.TreeUsage(t.Context(), run.ID)
	counted, stepped := ended.Usage.TotalTokens, 0
	for _, event := range events {
		if event.Type == EventUsage && strings.Contains(string(event.Data), `"step_id":""`) {
			stepped++
		}
	}
	if err != nil || h.model.Calls() != 3 || used == 0 || used != counted || message.Usage.TotalTokens != used ||
		stepped != 1 {
		t.Errorf("%d model calls used %d, the run says %d, the message %+v, %d events, %v", h.model.Calls(), used,
			counted, message.Usage, stepped, err)
	}
	audit, err := h.store.ListAudit(t.Context(), store.AuditQuery{Kind: models.AuditDecision})
	if err != nil || len(audit.Items) != 1 || !strings.Contains(audit.Items[0].Detail, "which line shall it be?") ||
		!strings.Contains(audit.Items[0].Arguments, "mine") || strings.Contains(audit.Items[0].Arguments,
		"the-secret-key") {
		t.Errorf("the audit has %+v, %v", audit.Items, err)
	}
}
