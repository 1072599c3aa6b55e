package api

import (
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// US6: an administrator gives a user a quota; the user sees what is left, and each limit
// refuses with a code that says which it is.
func TestAQuotaIsShownAndHolds(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	id, token := h.user("colleague", models.AccountUser, models.ScopeAdmin)
	set := func(quota m) { h.do("PATCH", "/api/v1/users/"+id, m{"quota": quota}).is(200, `"quota":{`) }
	quota := func(more m) m {
		whole := m{"tokens_per_day": 0, "cost_per_day": 0, "concurrent_runs": 0, "storage": 0, "models": []string{},
			"agents": []string{}}
		for key, value := range more {
			whole[key] = value
		}
		return whole
	}
	h.model.On(llmtest.User("hello")).Steps(llmtest.Text("hi"), llmtest.Text("hi"))
	var conversation string
	start := func(code int, text ...string) {
		t.Helper()
		h.as(token, func() {
			h.do("POST", "/api/v1/conversations/"+conversation+"/runs", m{"text": "hello"}).is(code, text...)
		})
	}
	h.as(token, func() {
		conversation = h.newConversation(m{}).ID
		h.do("GET", "/api/v1/auth/me", nil).is(200, `"tokens_today":{"used":0,"limit":0}`)
		h.say(conversation, "hello")
	})
	set(quota(m{"models": []string{"other"}}))
	start(403, `"code":"model_not_allowed"`)
	set(quota(m{"agents": []string{"writer"}}))
	start(403, `"code":"agent_not_allowed"`)
	set(quota(m{"storage": 5}))
	h.as(token, func() {
		h.upload("a.txt", "123").is(201)
		h.upload("b.txt", "456").is(507, `"code":"quota_exceeded"`)
		h.do("POST", "/api/v1/conversations/"+conversation+"/runs", m{"text": "hello", "attachments": []m{{"name": "c.txt",
			"data": "MTIzNDU2"}}}).is(507, `"code":"quota_exceeded"`)
		h.do("GET", "/api/v1/auth/me", nil).is(200, `"storage":{"used":3,"limit":5}`)
	})
	spent := &models.TokenUsage{ID: "u", StepID: "u", UserID: id, Model: "m", TotalTokens: 100,
		Day: time.Now().UTC().Format(time.DateOnly)}
	if err := h.store.InTx(t.Context(), func(tx *store.Tx) error { return tx.AddUsage(spent) }); err != nil {
		t.Fatal(err)
	}
	set(quota(m{"tokens_per_day": 100}))
	start(429, `"code":"quota_reached"`, "tokens today", "ask an administrator")
	h.do("GET", "/api/v1/usage?group_by=user", nil).is(200, `"key":"`+id)
	h.as(token, func() {
		h.do("GET", "/api/v1/auth/me", nil).is(200, `"limit":100`)
		h.do("GET", "/api/v1/usage?group_by=user", nil).is(403)
		h.do("PATCH", "/api/v1/users/"+id, m{"quota": nil}).is(403)
	})
	got := h.do("PATCH", "/api/v1/users/"+id, m{"quota": nil}).is(200, `"quota":null`)
	if strings.Contains(got.body, "disabled\":true") {
		t.Errorf("the account is changed: %s", got.body)
	}
	set(quota(m{"concurrent_runs": 1}))
	gate := llmtest.NewGate()
	defer gate.Release()
	h.as(token, func() {
		h.model.On(llmtest.User("slow")).Reply(llmtest.Reply{Text: "late", Gate: gate})
		slow := h.newConversation(m{}).ID
		h.do("POST", "/api/v1/conversations/"+slow+"/runs", m{"text": "slow"}).is(202)
	})
	start(429, `"code":"quota_reached"`, "runs at work")
}
