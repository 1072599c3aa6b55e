package api

import (
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
)

// protocol is an interface for other software, and one turn over it.
type protocol struct {
	name, path string
	ask        func(chat, text string) any
	unknown    string // a request that no route takes
	isError    string // what the answers to bad requests have in common
}

var protocols = []protocol{
	{"AI SDK", "/api/v1/ai-sdk/chat", func(chat, text string) any {
		return m{"id": chat, "model": "m", "messages": []m{{"id": "1", "role": "user",
			"parts": []m{{"type": "text", "text": text}}}}}
	}, "/api/v1/ai-sdk/nothing", ": "},
	{"AG-UI", "/ag-ui/default", func(chat, text string) any {
		return m{"threadId": chat, "runId": "r", "forwardedProps": m{"model": "m"},
			"messages": []m{{"id": "1", "role": "user", "content": text}}}
	}, "/ag-ui", `"message":`},
	{"A2A", "/a2a", func(_, text string) any {
		return m{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": m{"metadata": m{"model": "m"},
			"message": m{"messageId": "1", "role": "ROLE_USER", "parts": []m{{"text": text}}}}}
	}, "/a2a/a/b", `"jsonrpc":"2.0"`},
}

// isText fails the test unless the status is the expected one and the body has the text;
// the answer is in the protocol's own form, and not a problem.
func (a answer) isText(status int, text string) {
	a.t.Helper()
	if a.status != status || !strings.Contains(a.body, text) || strings.Contains(a.header.Get("Content-Type"), "problem") {
		a.t.Errorf("%d %s %s; want %d and %q", a.status, a.header.Get("Content-Type"), a.body, status, text)
	}
}

// IF2, IF3, IF6: who may not write starts nothing, and everybody has conversations of
// their own under the same client's id.
func TestInterfacesKeepToTheRightsOfAccounts(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	h.model.On(llmtest.User("mine")).Steps(llmtest.Text("an answer"))
	h.do("GET", "/.well-known/agent-card.json", nil, "Authorization", "none").isText(200, "securitySchemes")
	h.do("GET", "/a2a/.well-known/agent-card.json", nil, "Authorization", "none").isText(200, "securitySchemes")
	h.do("GET", "/a2a/writer/.well-known/agent-card.json", nil, "Authorization", "none").isText(401, "jsonrpc")
	_, reader := h.user("reader", models.AccountUser, models.ScopeRead)
	_, first := h.user("first", models.AccountUser, models.ScopeRun)
	_, second := h.user("second", models.AccountUser, models.ScopeRun)
	for _, p := range protocols {
		h.do("POST", p.path, p.ask("c1", "mine"), "Authorization", "none").isText(401, p.isError)
		h.do("POST", p.path, p.ask("c1", "mine"), bearer(reader)...).isText(403, p.isError)
		for _, token := range []string{first, second} {
			h.do("POST", p.path, p.ask("c1", "mine"), bearer(token)...).isText(200, "answer")
		}
	}
	for _, token := range []string{first, second} {
		list := into[List[Conversation]](h.do("GET", "/api/v1/conversations", nil, bearer(token)...).is(200))
		if len(list.Items) != len(protocols) {
			t.Errorf("%d conversations, want %d", len(list.Items), len(protocols))
		}
	}
	list := into[List[Conversation]](h.do("GET", "/api/v1/conversations", nil, bearer(reader)...).is(200))
	if len(list.Items) > 0 {
		t.Errorf("a token that may read has made %v", list.Items)
	}
}

// Issue 18, bad input: each interface answers in its own form, and nothing is left behind.
func TestInterfacesAnswerBadRequestsInTheirOwnForm(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, p := range protocols {
		for _, body := range []any{"", "nonsense", "[]", `{"messages": 7}`, "{}", strings.Repeat("[", 100_000)} {
			a := h.do("POST", p.path, body, "Content-Type", "application/json")
			if a.status >= 500 || !strings.Contains(a.body, p.isError) {
				t.Errorf("%s, %.20q: %d %s", p.name, body, a.status, a.body)
			}
		}
		h.do("POST", p.unknown, m{}).isText(404, p.isError)
		h.do("PUT", p.path, m{}).isText(404, p.isError)
	}
	if list := into[List[Conversation]](h.do("GET", "/api/v1/conversations", nil).is(200)); len(list.Items) > 0 {
		t.Errorf("bad requests have made %d conversations", len(list.Items))
	}
}
