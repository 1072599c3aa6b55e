package api

import (
	"testing"

	"nanoclaw/internal/process"
)

// Issue 10, point 2: every decision is refused to what a tool started, also with the
// token; where the caller is unknown the token decides.
func TestDecisionsAreForPeople(t *testing.T) {
	t.Parallel()
	h := newHouse(t, withFile("max_iterations: 7\n"))
	conversation, _, waiting := h.asks("ask one", "ask two two", "ask three three")
	approve := m{"decision": "approve", "scope": "always"}
	decisions := []struct {
		method, path string
		body         any
	}{
		{"POST", "/api/v1/approvals/" + waiting[0].ID, approve},
		{"DELETE", "/api/v1/approvals/rules/any", nil},
		{"PUT", "/api/v1/config", m{"changes": m{"guard.level": "off"}}},
		{"POST", "/api/v1/conversations/" + conversation + "/runs", m{"text": "/approve all always"}},
		{"PATCH", "/api/v1/conversations/" + conversation, m{"permission_mode": "ask"}},
	}
	const header, token = "X-Decision-Token", "the printed token"
	for _, d := range decisions {
		h.caller = process.Below
		h.do(d.method, d.path, d.body).is(403, `"code":"not_a_person"`)
		h.do(d.method, d.path, d.body, header, token).is(403, `"code":"not_a_person"`)
		h.caller = process.Unknown
		h.do(d.method, d.path, d.body).is(403, `"code":"not_a_person"`, "X-Decision-Token")
		h.do(d.method, d.path, d.body, header, "another").is(403, `"code":"not_a_person"`)
	}
	if c := h.live.Current(); c.Guard.Level == "off" {
		t.Error("the configuration was changed")
	}
	h.caller = process.Below
	h.do("PATCH", decisions[4].path, m{"title": "t", "permission_mode": "auto"}).is(200, `"permission_mode":"auto"`)
	h.caller = process.Unknown
	h.do("GET", "/api/v1/approvals/"+waiting[0].ID, nil).is(200, `"status":"pending"`)
	h.do("POST", decisions[0].path, approve, header, token).is(200, `"status":"approved"`)
	h.caller = process.Outside
	h.do("POST", "/api/v1/approvals/"+waiting[1].ID, approve).is(200, `"status":"approved"`)
	h.do("POST", decisions[3].path, decisions[3].body).is(200, `"command":"approve"`)
}

// A server without a token takes no empty one for it.
func TestAnEmptyTokenOpensNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, withFile("max_iterations: 7\n"))
	h.caller, h.server.DecisionToken = process.Unknown, ""
	h.do("PUT", "/api/v1/config", m{"changes": m{"max_iterations": 8}}, "X-Decision-Token", "").is(403,
		`"code":"not_a_person"`)
}
