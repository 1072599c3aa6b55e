package api

import (
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
)

// US4: a run of a member, in a conversation that is another's, ends with the member's
// account, disabled, deleted or a viewer's now; a stream that the member has open ends, too.
func TestAMembersRunsEndWithTheAccount(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(h *house, id string){
		"disabled": func(h *house, id string) { h.do("PATCH", "/api/v1/users/"+id, m{"disabled": true}).is(200) },
		"deleted":  func(h *house, id string) { h.do("DELETE", "/api/v1/users/"+id, nil).is(204) },
		"a viewer": func(h *house, id string) { h.do("PATCH", "/api/v1/users/"+id, m{"role": "viewer"}).is(200) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, multi)
			project, conversation, editor, _ := h.sharedProject()
			members := into[List[Member]](h.do("GET", "/api/v1/projects/"+project.ID+"/members", nil).is(200))
			gate := llmtest.NewGate()
			defer gate.Release()
			h.model.On(llmtest.User("work")).Reply(llmtest.Text("late").At(gate))
			runs := "/api/v1/conversations/" + conversation + "/runs"
			h.as(editor, func() { h.do("POST", runs, m{"text": "work"}).is(202) })
			stream := h.watch("/api/v1/conversations/"+conversation+"/events", bearer(editor)...)
			leave(h, members.Items[1].UserID)
			stream.rest()
			active, err := h.store.ActiveRuns(t.Context(), conversation)
			if err != nil || len(active) > 0 {
				t.Errorf("the run goes on: %v, %v", active, err)
			}
			status := 401
			if name == "a viewer" {
				status = 200
				h.do("POST", runs, m{"text": "again"}, bearer(editor)...).is(403)
			}
			h.do("GET", "/api/v1/conversations/"+conversation+"/messages", nil, bearer(editor)...).is(status)
			h.do("GET", "/api/v1/conversations/"+conversation+"/messages", nil).is(200, `"name":"editor"`)
		})
	}
}

// US2: a stream ends with the token that it was opened with.
func TestAStreamEndsWithItsToken(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	token := into[NewAPIToken](h.do("POST", "/api/v1/tokens", m{"name": "t", "scope": "read"}).is(201))
	stream := h.watch("/api/v1/events", bearer(token.Text)...)
	h.do("DELETE", "/api/v1/tokens/"+token.ID, nil).is(204)
	stream.rest()
}

// US4: a link of an account that is disabled shows nothing, for as long as it is.
func TestAShareLinkOfADisabledAccountShowsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	id, token := h.user("leaver", models.AccountUser, models.ScopeAdmin)
	var link NewShareLink
	h.as(token, func() {
		conversation := h.newConversation(m{"title": "Plans"})
		link = into[NewShareLink](h.do("POST", "/api/v1/conversations/"+conversation.ID+"/share", m{}).is(201))
	})
	_, secret, _ := strings.Cut(link.Path, "#")
	open := func() answer {
		return h.do("POST", "/api/v1/shared", m{"token": secret}, "Authorization", "none")
	}
	open().is(200, "Plans")
	h.do("PATCH", "/api/v1/users/"+id, m{"disabled": true}).is(200)
	gone := open().is(404)
	never := h.do("POST", "/api/v1/shared", m{"token": "never"}, "Authorization", "none").is(404)
	if plain(gone.body) != plain(never.body) {
		t.Errorf("the link is told from one that never was:\n%s\n%s", gone.body, never.body)
	}
	h.do("PATCH", "/api/v1/users/"+id, m{"disabled": false}).is(200)
	open().is(200, "Plans")
}

// US4: a link shows nothing from the moment on that it expires at.
func TestAShareLinkExpires(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	conversation := h.newConversation(m{})
	base := "/api/v1/conversations/" + conversation.ID + "/share"
	link := into[NewShareLink](h.do("POST", base, m{"expires_at": time.Now().Add(time.Hour).UTC()}).is(201))
	_, secret, _ := strings.Cut(link.Path, "#")
	open := func() answer { return h.do("POST", "/api/v1/shared", m{"token": secret}, "Authorization", "none") }
	h.pass(59 * time.Minute)
	open().is(200)
	h.pass(time.Minute)
	open().is(404)
	if list := h.do("GET", base, nil).is(200); strings.Contains(list.body, link.ID) {
		t.Errorf("the link is listed: %s", list.body)
	}
}
