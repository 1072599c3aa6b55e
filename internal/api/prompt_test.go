package api

import (
	"strings"
	"testing"

	"nanoclaw/internal/models"
)

// CH8 US5: prompts are made, changed and deleted by their owner, and shared ones used by all.
func TestPromptsOverTheAPI(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	const path = "/api/v1/prompts"
	h.do("POST", path, m{"name": "x"}).is(422, "body.text", "it is missing")
	h.do("POST", path, m{"text": "x"}).is(422, "body.name", "it is missing")
	h.do("POST", path, m{"name": " ", "text": "x"}).is(422, "it is empty")
	h.do("POST", path, m{"name": strings.Repeat("x", 101), "text": "x"}).is(422, "body.name")
	h.do("POST", path, m{"name": "x", "text": strings.Repeat("x", 100001)}).is(422, "body.text")
	made := into[Prompt](h.do("POST", path, m{"name": " Review ", "text": "Review {{file}}."}).is(201))
	if made.Name != "Review" || !made.Own || made.Shared {
		t.Errorf("made: %+v", made)
	}
	one := path + "/" + made.ID
	_, other := h.user("other", models.AccountUser, models.ScopeRun)
	_, reader := h.user("reader", models.AccountUser, models.ScopeRead)
	h.as(other, func() {
		h.do("GET", path, nil).is(200, `"items":[]`)
		h.do("PATCH", one, m{"text": "mine now"}).is(404)
	})
	h.do("PATCH", one, m{"shared": true}).is(200, `"shared":true`, `"text":"Review {{file}}."`)
	h.as(other, func() {
		h.do("GET", path, nil).is(200, `"own":false`, "Review {{file}}.")
		h.do("PATCH", one, m{"text": "mine now"}).is(404)
		h.do("DELETE", one, nil).is(404)
	})
	h.as(reader, func() { h.do("POST", path, m{"name": "x", "text": "y"}).is(403) })
	h.do("PATCH", one, m{"text": "\n"}).is(422, "it is empty")
	h.do("DELETE", one, nil).is(204)
	h.do("DELETE", one, nil).is(404)
}
