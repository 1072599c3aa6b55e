package api

import (
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
)

// US4: a link shows one conversation without an account, and nothing else; it is revoked,
// expires, and its token is neither listed nor logged.
func TestALinkShowsOneConversation(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	h.model.On(llmtest.User("hello")).Steps(llmtest.Text("the answer"))
	conversation := h.newConversation(m{"system_prompt": "a secret prompt"})
	h.say(conversation.ID, "hello")
	base := "/api/v1/conversations/" + conversation.ID + "/share"
	link := into[NewShareLink](h.do("POST", base, m{}).is(201))
	page, token, _ := strings.Cut(link.Path, "#")
	h.do("GET", page, nil, "Authorization", "none", "Accept", "text/html").is(200, "<div id=app>")
	open := func(token string) answer {
		return h.do("POST", "/api/v1/shared", m{"token": token}, "Authorization", "none")
	}
	shown := open(token).is(200, `"text":"hello"`, `"text":"the answer"`)
	for _, hidden := range []string{"secret prompt", conversation.ID, models.LocalUserID, "owner"} {
		if strings.Contains(shown.body, hidden) {
			t.Errorf("the page shows %q: %s", hidden, shown.body)
		}
	}
	for _, path := range []string{"/conversations/" + conversation.ID, "/conversations", "/projects", "/auth/me"} {
		h.do("GET", "/api/v1"+path+"?token="+token, nil, "Authorization", "none").is(401)
		h.do("GET", "/api/v1"+path, nil, bearer(token)...).is(401)
	}
	open("").is(404)
	open(strings.ToLower(token)).is(404)
	if list := h.do("GET", base, nil).is(200, link.ID); strings.Contains(list.body, token) {
		t.Errorf("the list has the token: %s", list.body)
	}
	h.do("DELETE", base+"/"+link.ID, nil).is(204)
	open(token).is(404)
	h.do("POST", base, m{"expires_at": "2020-01-01T00:00:00Z"}).is(422, `"location":"body.expires_at"`)
	soon := time.Now().Add(time.Hour).UTC()
	short := into[NewShareLink](h.do("POST", base, m{"expires_at": soon}).is(201))
	if short.ExpiresAt == nil || !short.ExpiresAt.Equal(soon.Truncate(time.Microsecond)) {
		t.Errorf("the link expires at %v, want %v", short.ExpiresAt, soon)
	}
	_, later, _ := strings.Cut(short.Path, "#")
	h.do("DELETE", "/api/v1/conversations/"+conversation.ID, nil).is(204)
	open(later).is(404)
	for _, secret := range []string{token, later} {
		if strings.Contains(h.logText(), secret) {
			t.Error("the log has a link's token")
		}
	}
}
