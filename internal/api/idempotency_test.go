package api

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
)

// A repeated POST gets the stored answer and has its effect once.
func TestARepeatedPostHasItsEffectOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("ok"))
	c := h.newConversation(m{})
	path := "/api/v1/conversations/" + c.ID + "/runs"
	first := h.do("POST", path, m{"text": "once"}, "Idempotency-Key", "k1").is(202)
	again := h.do("POST", path, m{"text": "once"}, "Idempotency-Key", "k1").is(202)
	if again.body != first.body || again.header.Get("Location") != first.header.Get("Location") ||
		again.header.Get("Location") == "" ||
		again.header.Get("Content-Type") != first.header.Get("Content-Type") ||
		again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the second answer is %q %v, the first %q %v", again.body, again.header, first.body, first.header)
	}
	h.do("GET", "/api/v1/runs/"+into[Run](first).ID+"/events", nil).is(200)
	if list := into[Messages](h.do("GET", "/api/v1/conversations/"+c.ID+"/messages",
		nil).is(200)); len(list.Items) != 2 {
		t.Errorf("there are %d messages", len(list.Items))
	}
	h.do("POST", path, m{"text": "other"}, "Idempotency-Key", "k1").is(422, `"code":"idempotency_mismatch"`)
	h.do("POST", "/api/v1/projects", m{"name": "once"}, "Idempotency-Key", "k1").is(422,
		`"code":"idempotency_mismatch"`)
	h.do("POST", "/api/v1/projects", m{"name": "x"}, "Idempotency-Key", strings.Repeat("k", 300)).is(422,
		"header.Idempotency-Key")
	one := h.do("POST", "/api/v1/projects", m{"name": "p"}, "Idempotency-Key", "k2").is(201)
	if two := h.do("POST", "/api/v1/projects", m{"name": "p"}, "Idempotency-Key", "k2").is(201); two.body != one.body {
		t.Errorf("two projects: %s and %s", one.body, two.body)
	}
}

// A request that failed has changed nothing: its key may be used again.
func TestAFailedPostGivesItsKeyBack(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("first")).Reply(llmtest.Text("one").At(gate))
	h.model.On(llmtest.Any()).Reply(llmtest.Text("two"))
	c := h.newConversation(m{})
	path := "/api/v1/conversations/" + c.ID + "/runs"
	run := into[Run](h.do("POST", path, m{"text": "first"}).is(202))
	h.do("POST", path, m{"text": "second"}, "Idempotency-Key", "k").is(409, `"code":"run_active"`)
	gate.Release()
	h.do("GET", "/api/v1/runs/"+run.ID+"/events", nil).is(200)
	h.do("POST", path, m{"text": "second"}, "Idempotency-Key", "k").is(202)
}

// While the first request is at work, a second one with its key is told so.
func TestAKeyAtWorkIsAConflict(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const body = `{"name":"p"}`
	hash, err := hashRequest(httptest.NewRequest("POST", "/api/v1/projects", strings.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.store.BeginIdempotent(t.Context(), models.LocalUserID, "k", hash, time.Hour); err != nil {
		t.Fatal(err)
	}
	h.do("POST", "/api/v1/projects", []byte(body), "Idempotency-Key", "k", "Content-Type", "application/json").is(409,
		`"code":"conflict"`)
}

// A client whose event stream broke sends its POST again and follows the same run.
func TestAStreamedRunIsStartedOnceForItsKey(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("once"))
	c := h.newConversation(m{})
	path := "/api/v1/conversations/" + c.ID + "/runs"
	stream := []string{"Accept", "text/event-stream", "Idempotency-Key", "k"}
	h.do("POST", path, m{"text": "x"}, stream...).is(200, "event: run.finished")
	h.do("POST", path, m{"text": "x"}, stream...).is(200, "event: message.created", "event: run.finished")
	h.do("POST", path, m{"text": "x"}, "Idempotency-Key", "k").is(202, `"status":"completed"`)
	h.do("POST", path, m{"text": "y"}, stream...).is(422, "idempotency_mismatch")
	if list := into[Messages](h.do("GET", "/api/v1/conversations/"+c.ID+"/messages?branch=all",
		nil).is(200)); len(list.Items) != 2 {
		t.Errorf("%d messages", len(list.Items))
	}
}
