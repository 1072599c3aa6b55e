package runs

import (
	"context"
	"strings"
	"testing"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/tools"
)

// pushes registers push (Writes), whose calls wait for their end, and makes the model call
// it: in the run itself, or in a sub-agent. Each call sends to began.
func (h *house) pushes(inChild bool) (began chan struct{}) {
	began = make(chan struct{}, 10)
	h.registry.Register(tools.Define("push", "push", func(ctx context.Context, _ tools.Call, _ struct{}) (any, error) {
		began <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}, tools.Effect(tools.Writes)))
	push := llmtest.Calls(llmtest.Call{Name: "push", Arguments: `{}`})
	if inChild {
		h.model.On(llmtest.User("work"), llmtest.AtStep(1)).Reply(llmtest.Calls(llmtest.Call{Name: "multi_agent",
			Arguments: `{"tasks":[{"name":"a","instruction":"part"}]}`}))
		h.model.On(llmtest.User("part"), llmtest.AtStep(1)).Reply(push)
		h.model.On(llmtest.User("part")).Reply(llmtest.Text("saw {{last}}"))
	} else {
		h.model.On(llmtest.User("work"), llmtest.AtStep(1)).Reply(push)
	}
	h.model.On(llmtest.User("work")).Reply(llmtest.Text("saw {{last}}"))
	return began
}

// CH5, GR4, EX5: a call with an effect that was stopped because its worker gave up the run
// is not told to the model as stopped, as if a person had wished it: whoever goes on with
// the run does not know what it did, and says so.
func TestACallThatItsWorkersEndStoppedHasAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	restart := func(h *house, _ string) {
		now, cancel := context.WithCancel(h.t.Context())
		cancel()
		h.close(now)
		h.open()
	}
	lose := func(h *house, run string) { h.runs.tree(run).cancel(agent.ErrLost) }
	for name, c := range map[string]struct {
		stop    func(h *house, run string)
		inChild bool
	}{
		"a shutdown":                    {restart, false},
		"a shutdown, in a sub-agent":    {restart, true},
		"a lost worker":                 {lose, false},
		"a lost worker, in a sub-agent": {lose, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			began := h.pushes(c.inChild)
			run := h.send(h.conversation(), "work")
			await(t, began)
			c.stop(h, run.ID)
			h.events(run.ID)
			ended, message := h.answer(run.ID)
			if ended.Status != models.RunCompleted || !strings.Contains(message.Text, tools.CodeOutcomeUnknown) ||
				len(began) > 0 {
				t.Errorf("run %s, message %q, %d more calls", ended.Status, message.Text, len(began))
			}
		})
	}
}

// CH3: a call with an effect that the user stopped keeps its record, which says so.
func TestACallThatTheUserStoppedSaysSo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	began := h.pushes(false)
	run := h.send(h.conversation(), "work")
	await(t, began)
	if _, err := h.runs.Cancel(t.Context(), models.LocalUserID, run.ID); err != nil {
		t.Fatal(err)
	}
	h.events(run.ID)
	ended, message := h.answer(run.ID)
	if ended.Status != models.RunCancelled || len(message.ToolCalls) != 1 ||
		!strings.Contains(message.ToolCalls[0].Result, `"code":"cancelled"`) {
		t.Errorf("run %s, message %+v", ended.Status, message)
	}
}
