package runs

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// told is what a model was told, its system message left out.
func told(r llmtest.Request) (list []string) {
	for _, m := range r.Messages {
		if m.Role != "system" {
			list = append(list, m.Role+": "+m.Text)
		}
	}
	return list
}

// entries are the types of a message's lines, and what a person said among them.
func entries(message *MessageView) (list []string) {
	for _, entry := range message.Steps {
		kind := entry.Type
		if kind == entryUser {
			kind += " " + entry.Text
		}
		if entry.Pending {
			kind += " (pending)"
		}
		list = append(list, kind)
	}
	return list
}

func (h *house) steer(runID, text string) {
	h.t.Helper()
	view, err := h.runs.Steer(h.timeout(), models.LocalUserID, runID, text)
	if err != nil || !view.Pending || view.ID == "" {
		h.t.Fatalf("steer: %+v, %v", view, err)
	}
}

// CH12: a message into a run at work reaches the model with its next request, behind the results it
// waited for; it stands there in the answer and in the history of the next turn.
func TestAMessageIntoARunReachesItsNextRequest(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("work")).Reply(llmtest.Calls(
		llmtest.Call{Name: "note", Arguments: `{"line":"one"}`}).At(gate))
	h.model.On(llmtest.User("in French")).Reply(llmtest.Text("Voilà."))
	h.model.On(llmtest.User("thanks")).Reply(llmtest.Text("Welcome."))
	conv := h.conversation()
	run := h.send(conv, "work")
	await(t, gate.Reached())
	h.steer(run.ID, "in French")
	snapshot, _, err := h.runs.snapshotOf(h.timeout(), run.ID)
	if err != nil || !slices.Equal(entries(snapshot.Message), []string{"user in French (pending)"}) {
		t.Errorf("shown meanwhile: %v, %v", entries(snapshot.Message), err)
	}
	gate.Release()
	var pending []bool
	for _, event := range h.events(run.ID) {
		if event.Type == EventRunMessage {
			pending = append(pending, decode[steeringPayload](t, event.Data).Message.Pending)
		}
	}
	if !slices.Equal(pending, []bool{true, false}) {
		t.Errorf("the events say pending: %v", pending)
	}
	ended, message := h.answer(run.ID)
	want := []string{"tool_call", "tool_result", "user in French", "text"}
	if ended.Status != models.RunCompleted || message.Text != "Voilà." || !slices.Equal(entries(message), want) {
		t.Errorf("%s, %q, %v", ended.Status, message.Text, entries(message))
	}
	h.events(h.send(conv, "thanks").ID)
	last := h.model.Requests(llmtest.User("thanks"))[0]
	list := told(last)
	if len(list) != 6 || list[0] != "user: work" || !strings.HasPrefix(list[2], "tool: ") ||
		!slices.Equal(list[3:], []string{"user: in French", "assistant: Voilà.", "user: thanks"}) {
		t.Errorf("the next turn has %q", list)
	}
}

// CH12: a run that was about to end goes on for what was said in the last moment, with tools again.
func TestAMessageInTheLastMomentKeepsARunGoing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.change(func(s *Settings) { s.MaxIterations = 1 })
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("work")).Steps(
		llmtest.Calls(llmtest.Call{Name: "note", Arguments: `{"line":"one"}`}), llmtest.Text("Done.").At(gate))
	h.model.On(llmtest.User("more")).Func(func(r llmtest.Request) llmtest.Reply {
		if r.Offers("note") {
			return llmtest.Calls(llmtest.Call{Name: "note", Arguments: `{"line":"two"}`})
		}
		return llmtest.Text("Now it is.")
	})
	run := h.send(h.conversation(), "work")
	await(t, gate.Reached())
	h.steer(run.ID, "more")
	gate.Release()
	h.events(run.ID)
	ended, message := h.answer(run.ID)
	want := []string{"tool_call", "tool_result", "text", "user more", "tool_call", "tool_result", "text"}
	if ended.Status != models.RunCompleted || !slices.Equal(entries(message), want) ||
		message.Text != "Done.\n\nNow it is." || !slices.Equal(h.noted(), []string{"one", "two"}) {
		t.Errorf("%s %+v, %q, %v, %v", ended.Status, ended.Error, message.Text, entries(message), h.noted())
	}
}

// CH5, GR3: a message that reached another replica is heard by the one at work, and by the one that
// goes on after its end.
func TestAMessageIntoARunOutlivesItsServer(t *testing.T) {
	t.Parallel()
	first, second := newReplicas(t, time.Hour)
	second.join()
	gate := llmtest.NewGate()
	first.model.On(llmtest.User("work")).Reply(llmtest.Calls(
		llmtest.Call{Name: "note", Arguments: `{"line":"one"}`}).At(gate))
	first.model.On(llmtest.User("in French")).Reply(llmtest.Text("Voilà."))
	run := first.send(first.conversation(), "work")
	await(t, gate.Reached())
	second.steer(run.ID, "in French")
	first.runs.Drain()
	gate.Release()
	second.events(run.ID)
	ended, message := second.answer(run.ID)
	want := []string{"tool_call", "tool_result", "user in French", "text"}
	if ended.Status != models.RunCompleted || ended.Attempt != 2 || !slices.Equal(entries(message), want) {
		t.Errorf("%s in attempt %d, %v", ended.Status, ended.Attempt, entries(message))
	}
}

// CH12: what was said into a run that is cancelled is kept, and the next turn has it.
func TestAMessageIntoACancelledRunIsKept(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	t.Cleanup(gate.Release)
	h.model.On(llmtest.User("work")).Reply(llmtest.Text("So far so good").AtChunk(1, gate))
	h.model.On(llmtest.User("and now")).Reply(llmtest.Text("Here."))
	conv := h.conversation()
	run := h.send(conv, "work")
	await(t, gate.Reached())
	h.steer(run.ID, "wait")
	if _, err := h.runs.Cancel(h.timeout(), models.LocalUserID, run.ID); err != nil {
		t.Fatal(err)
	}
	h.events(run.ID)
	ended, message := h.answer(run.ID)
	if got := entries(message); ended.Status != models.RunCancelled || got[len(got)-1] != "user wait" {
		t.Errorf("%s, %v", ended.Status, got)
	}
	h.events(h.send(conv, "and now").ID)
	next := h.model.Requests(func(r llmtest.Request) bool { return strings.Contains(r.User(), "and now") })
	if list := told(next[0]); !strings.Contains(strings.Join(list, "|"), "wait") {
		t.Errorf("the next turn has %q", list)
	}
	_, err := h.runs.Steer(h.timeout(), models.LocalUserID, run.ID, "too late")
	if !store.IsCode(err, store.CodeConflict) {
		t.Errorf("after the end: %v", err)
	}
}

// CH12: bad messages are refused, and the run goes on unharmed.
func TestAMessageIntoARunThatCannotBe(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("work")).Reply(llmtest.Text("Done.").At(gate))
	h.model.On(llmtest.User("next")).Reply(llmtest.Text("Next."))
	conv := h.conversation()
	run := h.send(conv, "work")
	await(t, gate.Reached())
	queued, err := h.runs.StartTurn(h.timeout(), StartRequest{UserID: models.LocalUserID, ConversationID: conv.ID,
		Text: "next", Queue: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ user, run, text, code string }{
		"empty":            {models.LocalUserID, run.ID, " \n", ""},
		"nobody's run":     {models.LocalUserID, store.NewID(), "x", store.CodeNotFound},
		"a foreigner":      {store.NewID(), run.ID, "x", store.CodeNotFound},
		"too long":         {models.LocalUserID, run.ID, strings.Repeat("x", maxSteering+1), store.CodeConflict},
		"a run that waits": {models.LocalUserID, queued.ID, "x", store.CodeConflict},
	} {
		_, err := h.runs.Steer(h.timeout(), test.user, test.run, test.text)
		var invalid *InvalidError
		if test.code == "" && !errors.As(err, &invalid) || test.code != "" && !store.IsCode(err, test.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	gate.Release()
	h.events(run.ID)
	if ended, message := h.answer(run.ID); ended.Status != models.RunCompleted || len(message.Steps) != 1 {
		t.Errorf("%s, %v", ended.Status, entries(message))
	}
	h.events(queued.ID)
}
