package api

import (
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

// CH1, CH2: a message starts a run, whose events stream to its end, and what was
// streamed is what is stored.
func TestATurnStreamsItsEventsAndStoresItsMessages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("hello")).Steps(llmtest.Calls(llmtest.Call{Name: "echo", Arguments: `{"text":"x"}`}),
		llmtest.Text("All is done."))
	c := h.newConversation(m{"project_id": h.newProject().ID})
	events := h.say(c.ID, "hello")
	want := "message.created run.queued run.started tool_call.started usage tool_call.progress tool_call.finished text.delta " +
		"usage message.completed run.finished"
	if got := kinds(events); got != want {
		t.Errorf("events\n%s, want\n%s", got, want)
	}
	list := into[Messages](h.do("GET", "/api/v1/conversations/"+c.ID+"/messages", nil).is(200))
	if len(list.Items) != 2 || list.Items[1].Text != "All is done." || len(list.Items[1].ToolCalls) != 1 ||
		list.EventsCursor == "" {
		t.Errorf("messages %+v", list)
	}
}

// CH3: a run is cancelled, keeps what it said, and can be cancelled again.
func TestARunIsCancelled(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	t.Cleanup(gate.Release)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("never").At(gate))
	c := h.newConversation(m{})
	a := h.do("POST", "/api/v1/conversations/"+c.ID+"/runs", m{"text": "x"}).is(202)
	run := into[Run](a)
	if location := a.header.Get("Location"); location != "/api/v1/runs/"+run.ID {
		t.Errorf("Location %q", location)
	}
	if err := h.model.WaitCalls(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	h.do("POST", "/api/v1/runs/"+run.ID+"/cancel", m{}).is(200, run.ID)
	h.do("GET", "/api/v1/runs/"+run.ID+"/events", nil).is(200, "event: run.finished", `"status":"cancelled"`)
	h.do("POST", "/api/v1/runs/"+run.ID+"/cancel", nil).is(200, `"status":"cancelled"`)
	h.do("GET", "/api/v1/runs/"+run.ID, nil).is(200, `"code":"cancelled"`, `"children":[]`)
}

// A turn has settings of its own; the conversation keeps its.
func TestATurnMayHaveSettingsOfItsOwn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("ok"))
	c := h.newConversation(m{"tools_enabled": true})
	path := "/api/v1/conversations/" + c.ID
	h.do("POST", path+"/runs", m{"text": "with"}, "Accept", "text/event-stream").is(200)
	h.do("POST", path+"/runs", m{"text": "without", "tools_enabled": false, "model": "m"}, "Accept",
		"text/event-stream").is(200)
	if with, without := h.model.Requests(llmtest.User("with")),
		h.model.Requests(llmtest.User("without")); len(with[0].ToolNames()) == 0 || len(without[0].ToolNames()) != 0 {
		t.Errorf("tools offered: %v, then %v", with[0].ToolNames(), without[0].ToolNames())
	}
	h.do("GET", path, nil).is(200, `"tools_enabled":true`)
	h.do("POST", path+"/runs", m{"text": "no key", "model": "nokey"}).is(422, `"code":"unknown_model"`)
}

// A run that failed goes on when it is continued; one that completed does not.
func TestAFailedRunIsContinued(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Sequence(llmtest.Failure(400, "not now"), llmtest.Text("now it works"))
	c := h.newConversation(m{})
	h.do("POST", "/api/v1/conversations/"+c.ID+"/runs", m{"text": "x"}, "Accept", "text/event-stream").is(200,
		`"status":"failed"`)
	list := into[Messages](h.do("GET", "/api/v1/conversations/"+c.ID+"/messages", nil).is(200))
	path := "/api/v1/runs/" + list.Items[0].RunID + "/continue"
	h.do("POST", path, nil, "Accept", "text/event-stream").is(200, "now it works", `"status":"completed"`)
	h.do("POST", path, nil).is(409)
	h.do("POST", "/api/v1/runs/nothing/continue", nil).is(404)
}

// CH12, US4: a message into a run at work is taken once for a key, reaches the model, and is refused of
// others than the one the run acts for, as a command, and after the end.
func TestAMessageIntoARunAtWork(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	_, conversation, editor, viewer := h.sharedProject()
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("work")).Reply(llmtest.Text("Done.").At(gate))
	h.model.On(llmtest.User("in French")).Reply(llmtest.Text("Voilà."))
	run := into[Run](h.do("POST", "/api/v1/conversations/"+conversation+"/runs", m{"text": "work"}).is(202))
	path := "/api/v1/runs/" + run.ID + "/messages"
	if err := h.model.WaitCalls(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	h.do("POST", path, m{"text": "mine"}, bearer(editor)...).is(403, "only they can")
	h.do("POST", path, m{"text": "mine"}, bearer(viewer)...).is(403)
	h.do("POST", path, m{"text": " "}).is(422, `"location":"body.text"`)
	h.do("POST", path, m{"text": "/approve all"}).is(422, "a command")
	h.do("POST", "/api/v1/runs/"+conversation+"/messages", m{"text": "x"}).is(404)
	for range 2 {
		h.do("POST", path, m{"text": "in French"}, "Idempotency-Key", "k-1").is(202, `"pending":true`, `"text":"in French"`)
	}
	gate.Release()
	h.do("GET", "/api/v1/runs/"+run.ID+"/events", nil).is(200, "run.message", "Voilà.")
	answer := h.do("GET", "/api/v1/conversations/"+conversation+"/messages", nil).is(200, `"type":"user"`)
	if n := strings.Count(answer.body, `"in French"`); n != 1 {
		t.Errorf("it stands in the conversation %d times", n)
	}
	h.do("GET", "/api/v1/conversations/"+conversation+"/export?format=md", nil).is(200,
		"### User, meanwhile\n\nin French\n")
	h.do("POST", path, m{"text": "late"}).is(409, `"code":"conflict"`, "send a message to its conversation")
}
