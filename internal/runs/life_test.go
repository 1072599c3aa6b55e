package runs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// CH3: a stopped run ends at once, keeps what was said, and leaves one message.
func TestACancelledRunKeepsItsPartialText(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("talk")).Reply(llmtest.Text("one two three four").AtChunk(3, gate))
	conv := h.conversation()
	run := h.send(conv, "talk")
	watch, err := h.runs.WatchRun(t.Context(), models.LocalUserID, run.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	text := ""
	for !strings.Contains(text, "two") {
		event, err := watch.Next(h.timeout())
		if err != nil {
			t.Fatal(err)
		}
		if event.Type == EventTextDelta {
			text += decode[deltaPayload](t, event.Data).Delta
		}
	}
	if _, err := h.runs.Cancel(t.Context(), models.LocalUserID, run.ID); err != nil {
		t.Fatal(err)
	}
	h.events(run.ID)
	ended, message := h.answer(run.ID)
	if ended.Status != models.RunCancelled || message.Text != text || ended.Error.Code != tools.CodeCancelled {
		t.Errorf("run %+v, message %q, shown %q", ended, message.Text, text)
	}
	if again, err := h.runs.Cancel(t.Context(), models.LocalUserID, run.ID); err != nil ||
		again.Status != models.RunCancelled {
		t.Errorf("cancelling an ended run: %+v, %v", again, err)
	}
}

// CH12: a second message is refused with the active run's id, or waits for its turn.
func TestAMessageToABusyConversationIsRefusedOrQueued(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("first")).Reply(llmtest.Text("answer one").At(gate))
	h.model.On(llmtest.User("second")).Reply(llmtest.Text("answer two"))
	conv := h.conversation()
	first := h.send(conv, "first")
	_, err := h.runs.StartTurn(t.Context(), StartRequest{UserID: models.LocalUserID, ConversationID: conv.ID,
		Text: "second"})
	var busy *store.BusyError
	if !errors.As(err, &busy) || busy.RunID != first.ID {
		t.Fatalf("got %v, want a BusyError with run %s", err, first.ID)
	}
	second, err := h.runs.StartTurn(t.Context(), StartRequest{UserID: models.LocalUserID, ConversationID: conv.ID,
		Text: "second", Queue: true})
	if err != nil || !second.Deferred {
		t.Fatalf("queued: %+v, %v", second, err)
	}
	gate.Release()
	h.events(first.ID)
	h.events(second.ID)
	branch, err := h.store.GetConversation(t.Context(), models.LocalUserID, conv.ID)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := h.store.Branch(t.Context(), conv.ID, branch.ActiveLeafID)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, message := range messages {
		texts = append(texts, message.Text)
	}
	if want := []string{"first", "answer one", "second", "answer two"}; !slices.Equal(texts, want) {
		t.Errorf("the branch is %v, want %v", texts, want)
	}
}

// CH12: a message that is edited while a run is at work makes its branch when its turn comes.
func TestAMessageThatWaitedStandsBelowTheParentThatItNames(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("slow")).Reply(llmtest.Text("at last").At(gate))
	h.model.On(llmtest.UserContains("")).Reply(llmtest.Text("yes"))
	conv := h.conversation()
	first := h.send(conv, "first")
	h.events(first.ID)
	slow := h.send(conv, "slow")
	_, said := h.answer(first.ID)
	answer := said.ID
	root := ""
	var waiting []*RunView
	for _, parent := range []*string{&root, &answer} {
		run, err := h.runs.StartTurn(t.Context(), StartRequest{UserID: models.LocalUserID, ConversationID: conv.ID,
			Text: "edited", Parent: parent, Queue: true})
		if err != nil || !run.Deferred {
			t.Fatalf("queued: %+v, %v", run, err)
		}
		waiting = append(waiting, run)
	}
	gate.Release()
	h.events(slow.ID)
	for i, want := range []string{root, answer} {
		h.events(waiting[i].ID)
		run, _ := h.answer(waiting[i].ID)
		message, err := h.store.GetMessage(t.Context(), models.LocalUserID, run.UserMessageID)
		if err != nil || message.ParentID != want {
			t.Errorf("message %d stands below %q, want %q: %v", i, message.ParentID, want, err)
		}
	}
}

// CH5 (graceful): a shutdown in mid-run lets the step end; the next start goes on
// behind it, and no tool runs twice.
func TestARunGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("work")).Func(func(r llmtest.Request) llmtest.Reply {
		switch r.Step() {
		case 1:
			return llmtest.Calls(llmtest.Call{Name: "note", Arguments: `{"line":"once"}`})
		case 2:
			return llmtest.Calls(llmtest.Call{Name: "look", Arguments: `{}`}).At(gate)
		}
		return llmtest.Text("saw {{last}}")
	})
	run := h.send(h.conversation(), "work")
	if err := h.model.WaitCalls(h.timeout(), 2); err != nil {
		t.Fatal(err)
	}
	stop, cancel := context.WithCancel(t.Context())
	cancel() // no timeout: stopped in the middle of the second model call
	h.close(stop)
	gate.Release()
	h.open()
	events := h.events(run.ID)
	ended, message := h.answer(run.ID)
	if ended.Status != models.RunCompleted || !strings.Contains(message.Text, `["once"]`) || !slices.Equal(h.noted(),
		[]string{"once"}) {
		t.Errorf("run %+v, message %q, notes %v", ended, message.Text, h.noted())
	}
	attempts := 0
	for i, event := range events {
		if event.Type == EventRunStarted {
			if attempts++; attempts == 2 && events[i+1].Type != EventSnapshot {
				t.Errorf("after the second run.started comes %s, want a snapshot", events[i+1].Type)
			}
		}
	}
	if attempts != 2 {
		t.Errorf("%d attempts in %v", attempts, types(events))
	}
}

// A loop is noticed: the third equal call in a row is answered with a note, and
// the run ends when the model goes on.
func TestAnAgentThatGoesInCirclesIsToldAndThenEnded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("spin")).Reply(llmtest.Calls(llmtest.Call{Name: "look", Arguments: `{}`}))
	run := h.send(h.conversation(), "spin")
	h.events(run.ID)
	ended, _ := h.answer(run.ID)
	if ended.Status != models.RunFailed || ended.Error.Code != "loop_detected" {
		t.Errorf("run %+v", ended)
	}
	requests := h.model.Requests(llmtest.User("spin"))
	last := requests[len(requests)-1].Last().Text
	if len(requests) != 4 || !strings.Contains(last, "in a row") {
		t.Errorf("%d requests, the last result was %q", len(requests), last)
	}
}

// A model that fails ends the run with its code, and a title is made all the same.
func TestAFailedModelCallIsAFailedRunWithItsCode(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("say something")).Reply(llmtest.Failure(401, "bad key the-secret-key-123"))
	conv := h.conversation()
	run := h.send(conv, "say something")
	events := h.events(run.ID)
	ended, message := h.answer(run.ID)
	if ended.Status != models.RunFailed || ended.Error == nil || ended.Error.Code != "model_auth" ||
		message.Text != "" {
		t.Errorf("run %+v, error %+v", ended, ended.Error)
	}
	if last := string(events[len(events)-1].Data); strings.Contains(last, "the-secret-key") || !strings.Contains(last,
		`"title":"say something"`) {
		t.Errorf("the last event is %s", last)
	}
}

// A run that failed goes on behind its last checkpoint when it is continued, and
// has one message all the same.
func TestAFailedRunCanBeContinued(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("work"), llmtest.AtStep(1)).Reply(llmtest.Calls(llmtest.Call{Name: "note",
		Arguments: `{"line":"once"}`}))
	h.model.On(llmtest.User("work")).Sequence(llmtest.Text("half of it is here and more comes").With(llmtest.Cut),
		llmtest.Text("whole"))
	conv := h.conversation()
	run := h.send(conv, "work")
	h.events(run.ID)
	if ended, message := h.answer(run.ID); ended.Status != models.RunFailed || message.Text == "" ||
		message.Text == "whole" {
		t.Fatalf("run %+v, message %q: want a failure that kept its partial text", ended, message.Text)
	}
	if _, err := h.runs.Continue(t.Context(), models.LocalUserID, run.ID); err != nil {
		t.Fatal(err)
	}
	events := h.events(run.ID)
	ended, message := h.answer(run.ID)
	if ended.Status != models.RunCompleted || message.Text != "whole" || len(message.ToolCalls) != 1 ||
		!slices.Equal(h.noted(), []string{"once"}) {
		t.Errorf("run %+v, message %+v, notes %v, events %v", ended, message, h.noted(), types(events))
	}
	if _, err := h.runs.Continue(t.Context(), models.LocalUserID, run.ID); !store.IsCode(err, store.CodeConflict) {
		t.Errorf("continuing a completed run: %v", err)
	}
}
