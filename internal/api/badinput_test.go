package api

import (
	"fmt"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm/llmtest"
)

const noID = "01900000-0000-7000-8000-000000000000"

// Bad input is answered with a problem that says what is wrong, and where.
func TestBadInputIsRefusedWithAProblemThatNamesIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(_ *house, c *config.Config) { c.HTTP.MaxBody, c.HTTP.MaxUpload = 64<<10, 128<<10 })
	p, c := h.newProject(), h.newConversation(m{})
	project, conv := "/api/v1/projects/"+p.ID, "/api/v1/conversations/"+c.ID
	h.do("PUT", project+"/files/a.txt", "text").is(201)
	large := strings.Repeat("x", 65<<10)
	tests := []struct {
		name, method, path string
		body               any
		status             int
		contains           string
	}{
		{"unknown route", "GET", "/api/v1/nothing", nil, 404, `"code":"not_found"`},
		{"unknown route, another method", "POST", "/api/v1/nothing", m{}, 404, `"code":"not_found"`},
		{"unknown route at the root", "POST", "/nothing", nil, 404, `"code":"not_found"`},
		{"wrong method", "PUT", "/api/v1/projects", m{}, 405, `"code":"method_not_allowed"`},
		{"wrong method on a file", "POST", project + "/files/a.txt", "x", 405, `"code":"method_not_allowed"`},
		{"unknown project", "GET", "/api/v1/projects/" + noID, nil, 404, noID},
		{"unknown project's files", "GET", "/api/v1/projects/" + noID + "/files", nil, 404, noID},
		{"unknown project's file", "GET", "/api/v1/projects/" + noID + "/files/a", nil, 404, noID},
		{"unknown project's archive", "GET", "/api/v1/projects/" + noID + "/archive", nil, 404, noID},
		{"unknown conversation", "GET", "/api/v1/conversations/" + noID, nil, 404, noID},
		{"unknown conversation's events", "GET", "/api/v1/conversations/" + noID + "/events", nil, 404, noID},
		{"unknown conversation's messages", "GET", "/api/v1/conversations/" + noID + "/messages", nil, 404, noID},
		{"unknown conversation's export", "GET", "/api/v1/conversations/" + noID + "/export", nil, 404, noID},
		{"run in an unknown conversation", "POST", "/api/v1/conversations/" + noID + "/runs", m{"text": "x"}, 404,
			noID},
		{"unknown run", "GET", "/api/v1/runs/" + noID, nil, 404, noID},
		{"unknown run's events", "GET", "/api/v1/runs/" + noID + "/events", nil, 404, noID},
		{"cancel of an unknown run", "POST", "/api/v1/runs/" + noID + "/cancel", nil, 404, noID},
		{"regenerate of an unknown message", "POST", "/api/v1/messages/" + noID + "/regenerate", m{}, 404, noID},
		{"unknown branch", "GET", conv + "/messages?branch=" + noID, nil, 404, noID},
		{"unknown message", "DELETE", conv + "/messages/" + noID, nil, 404, noID},
		{"unknown file", "GET", project + "/files/none.txt", nil, 404, `"code":"not_found"`},
		{"unknown upload", "POST", conv + "/runs", m{"text": "x", "attachments": []m{{"upload_id": noID}}}, 404, noID},
		{"unknown project of a conversation", "POST", "/api/v1/conversations", m{"project_id": noID}, 404, noID},
		{"unknown project of a run", "POST", conv + "/runs", m{"text": "x", "project_id": noID}, 404, noID},
		{"unknown parent", "POST", conv + "/runs", m{"text": "x", "parent_message_id": noID}, 404, noID},
		{"an id that is none", "GET", "/api/v1/conversations/%27%20OR%201=1", nil, 404, `"code":"not_found"`},

		{"no body", "POST", "/api/v1/projects", nil, 400, `"code":"bad_request"`},
		{"broken JSON", "POST", "/api/v1/projects", []byte(`{"name":`), 400, `"code":"invalid_json"`},
		{"two JSON values", "POST", "/api/v1/projects", []byte(`{"name":"a"} {}`), 400, `"code":"invalid_json"`},
		{"JSON that is no object", "POST", "/api/v1/projects", []byte(`[]`), 422, `"location":"body"`},
		{"missing field", "POST", "/api/v1/projects", m{}, 422, "name"},
		{"wrong type", "POST", "/api/v1/projects", m{"name": 1}, 422, `"location":"body.name"`},
		{"unknown field", "POST", "/api/v1/projects", m{"name": "a", "colour": "red"}, 422, `"location":"body.colour"`},
		{"blank name", "POST", "/api/v1/projects", m{"name": "  "}, 422, `"location":"body.name"`},
		{"empty name", "PATCH", project, m{"name": ""}, 422, `"location":"body.name"`},
		{"null name", "PATCH", project, m{"name": nil}, 422, `"location":"body.name"`},
		{"long name", "POST", "/api/v1/projects", m{"name": strings.Repeat("n", 201)}, 422, `"location":"body.name"`},
		{"NUL in a text", "POST", "/api/v1/projects", m{"name": "a\x00b"}, 422, `body.name holds the character NUL`},
		{"NUL in a query", "GET", "/api/v1/conversations?q=a%00b", nil, 422, `"location":"query"`},
		{"no UTF-8 in a query", "GET", "/api/v1/conversations?q=%ff", nil, 422, `"location":"query"`},
		{"NUL in a file's name", "GET", project + "/files/a%00b", nil, 403, `"code":"access_denied"`},
		{"a path outside", "GET", project + "/files/..%2F..%2Fetc%2Fpasswd", nil, 403, `"code":"access_denied"`},
		{"a path outside to write", "PUT", project + "/files/..%2Fx", "x", 403, `"code":"access_denied"`},
		{"a move outside", "POST", project + "/move", m{"from": "a.txt", "to": "../x"}, 403, `"code":"access_denied"`},
		{"a path that no root allows", "POST", "/api/v1/projects", m{"name": "x", "path": "/etc"}, 403,
			`"location":"body.path"`},
		{"a path that is not there", "POST", "/api/v1/projects", m{"name": "x", "path": h.roots + "/none"}, 422,
			`"location":"body.path"`},
		{"a relative path", "POST", "/api/v1/projects", m{"name": "x", "path": "here"}, 422, `"location":"body.path"`},
		{"broken expression", "POST", project + "/search", m{"query": "(", "regex": true}, 422,
			`"code":"invalid_arguments"`},
		{"move of nothing", "POST", project + "/move", m{"from": "none", "to": "x"}, 404, `"code":"not_found"`},
		{"write to a directory", "PUT", project + "/files/", "x", 409, `"code":"not_a_file"`},

		{"garbage cursor", "GET", "/api/v1/conversations?cursor=garbage!", nil, 422, "cursor"},
		{"garbage cursor of projects", "GET", "/api/v1/projects?cursor=e30x", nil, 422, "cursor"},
		{"garbage cursor of files", "GET", project + "/files?cursor=zzz", nil, 422, "query.cursor"},
		{"cursor of another list", "GET", conv + "/messages?cursor=ZmlsZXM6MQ", nil, 422, "query.cursor"},
		{"limit that is no number", "GET", "/api/v1/projects?limit=ten", nil, 422, `"location":"query.limit"`},
		{"negative limit", "GET", "/api/v1/projects?limit=-1", nil, 422, `"location":"query.limit"`},
		{"limit over all numbers", "GET", "/api/v1/projects?limit=99999999999999999999", nil, 422,
			`"location":"query.limit"`},
		{"unknown period", "GET", "/api/v1/usage?period=hourly", nil, 422, `"location":"query.period"`},
		{"no day", "GET", "/api/v1/usage?since=2026-13-40", nil, 422, `query.since`},
		{"no time", "GET", "/api/v1/audit?since=yesterday", nil, 422, `"location":"query.since"`},
		{"unknown format", "GET", conv + "/export?format=pdf", nil, 422, `"location":"query.format"`},

		{"unknown model", "POST", conv + "/runs", m{"text": "x", "model": "gpt-9"}, 422, `there are m`},
		{"unknown model of a conversation", "PATCH", conv, m{"model": "gpt-9"}, 422, `"code":"unknown_model"`},
		{"unknown agent", "POST", "/api/v1/conversations", m{"agent": "nobody"}, 422, `"location":"body.agent"`},
		{"too hot", "PATCH", conv, m{"temperature": 2.1}, 422, `"location":"body.temperature"`},
		{"no tokens", "PATCH", conv, m{"max_tokens": 0}, 422, `"location":"body.max_tokens"`},
		{"half a token", "PATCH", conv, m{"max_tokens": 1.5}, 422, `"location":"body.max_tokens"`},
		{"thinking maybe", "PATCH", conv, m{"thinking": "maybe"}, 422, `"location":"body.thinking"`},
		{"no text", "POST", conv + "/runs", m{"text": " "}, 422, `"location":"body.text"`},
		{"text missing", "POST", conv + "/runs", m{}, 422, `text`},
		{"unknown on_busy", "POST", conv + "/runs", m{"text": "x", "on_busy": "wait"}, 422,
			`"location":"body.on_busy"`},
		{"attachment without anything", "POST", conv + "/runs", m{"text": "x", "attachments": []m{{}}}, 422,
			`body.attachments`},
		{"attachment without a name", "POST", conv + "/runs", m{"text": "x", "attachments": []m{{"data": "aGk="}}}, 422,
			`name`},
		{"attachment that is no base64", "POST", conv + "/runs",
			m{"text": "x", "attachments": []m{{"name": "a", "data": "%%%"}}}, 422, `body`},
		{"title over the limit", "PATCH", conv, m{"title": strings.Repeat("t", 501)}, 422, `"location":"body.title"`},
		{"an import of something else", "POST", "/api/v1/conversations/import", m{"format": "other",
			"conversation": m{}, "messages": []m{}}, 422, `"location":"body.format"`},
		{"an import without a tree", "POST", "/api/v1/conversations/import", m{"format": exportFormat,
			"conversation": m{},
			"messages":     []m{{"id": "a", "parent_id": "b", "role": "user", "text": "x"}}}, 422,
			`"code":"invalid_arguments"`},
		{"no changes", "PUT", "/api/v1/config", m{"changes": m{}}, 422, `"location":"body.changes"`},

		{"body over the limit", "POST", conv + "/runs", m{"text": large}, 413, `"code":"too_large"`},
		{"body over the limit of another route", "POST", "/api/v1/projects", m{"name": large}, 413,
			`"code":"too_large"`},
		{"file over the limit", "PUT", project + "/files/large.bin", large + large, 413, `"code":"too_large"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			headers := []string{}
			if _, raw := tt.body.([]byte); raw {
				headers = append(headers, "Content-Type", "application/json")
			}
			a := h.do(tt.method, tt.path, tt.body, headers...)
			a.t = t
			a.is(tt.status, tt.contains)
			problem := into[Problem](a)
			if problem.Status != tt.status || problem.Title == "" || problem.Detail == "" || problem.Code == "" ||
				problem.Type == "" ||
				problem.Errors == nil || problem.RequestID == "" || problem.RequestID != a.header.Get("X-Request-Id") {
				t.Errorf("the problem is %+v", problem)
			}
			if tt.status == 405 && a.header.Get("Allow") == "" {
				t.Error("405 without Allow")
			}
		})
	}
	h.do("GET", "/api/v1/projects?limit=1000000000", nil).is(200)
}

// A body of unknown length is cut at the limit as well.
func TestAStreamedBodyOverTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(_ *house, c *config.Config) { c.HTTP.MaxBody, c.HTTP.MaxUpload = 4<<10, 8<<10 })
	path := "/api/v1/projects/" + h.newProject().ID + "/files/a"
	h.send("PUT", path, strings.NewReader(strings.Repeat("x", 9<<10))).is(413, `"code":"too_large"`)
	h.send("PUT", path, strings.NewReader(strings.Repeat("x", 7<<10))).is(201)
	h.send("POST", "/api/v1/projects", strings.NewReader(`{"name":"`+strings.Repeat("x", 5<<10)+`"}`)).is(413,
		`"code":"too_large"`)
}

// JSON in a form's clothes is what other sites can send without asking: refused.
func TestABodyOfAnotherContentTypeIsRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded"} {
		h.do("POST", "/api/v1/projects", `{"name":"a"}`, "Content-Type", contentType).is(415,
			`"code":"unsupported_media_type"`)
	}
	h.do("POST", "/api/v1/projects", `{"name":"a"}`, "Content-Type", "application/json; charset=utf-8").is(201)
}

// CH12, EX: a message to a conversation with an active run is refused with the
// run's id, or waits for its turn.
func TestAMessageToABusyConversationIsAConflictWithTheRunsID(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.User("first")).Reply(llmtest.Text("one").At(gate))
	h.model.On(llmtest.User("second")).Reply(llmtest.Text("two"))
	c := h.newConversation(m{})
	path := "/api/v1/conversations/" + c.ID
	first := into[Run](h.do("POST", path+"/runs", m{"text": "first"}).is(202))
	h.do("POST", path+"/runs", m{"text": "second"}).is(409, `"code":"run_active"`, fmt.Sprintf(`"run_id":%q`, first.ID))
	h.do("POST", path+"/runs", m{"text": "second", "on_busy": "reject"}).is(409)
	second := into[Run](h.do("POST", path+"/runs", m{"text": "second", "on_busy": "queue"}).is(202))
	if !second.Deferred || second.Text != "second" {
		t.Errorf("the second is %+v", second)
	}
	if now := into[Conversation](h.do("GET", path, nil).is(200)); now.ActiveRunID == nil ||
		*now.ActiveRunID != first.ID {
		t.Errorf("the active run is %v", now.ActiveRunID)
	}
	// A third one begins anew beside the first: what is said of its place holds when its turn comes.
	h.model.On(llmtest.User("third")).Reply(llmtest.Text("three"))
	third := into[Run](h.do("POST", path+"/runs", m{"text": "third", "on_busy": "queue",
		"parent_message_id": nil}).is(202))
	h.do("POST", path+"/runs", m{"text": "lost", "on_busy": "queue", "parent_message_id": "nowhere"}).is(404)
	gate.Release()
	h.do("GET", "/api/v1/runs/"+second.ID+"/events", nil).is(200, "two")
	h.do("GET", "/api/v1/runs/"+third.ID+"/events", nil).is(200, "three")
	list := into[Messages](h.do("GET", path+"/messages?branch=all", nil).is(200))
	if len(list.Items) != 6 || list.Items[2].Text != "second" || list.Items[4].Text != "third" ||
		list.Items[4].ParentID != nil {
		t.Errorf("messages %+v", list.Items)
	}
}
