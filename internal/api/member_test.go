package api

import (
	"net/http"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
)

// sharedProject makes a project of the owner with a conversation in it, and an editor and a
// viewer with tokens.
func (h *house) sharedProject() (project Project, conversation, editor, viewer string) {
	h.t.Helper()
	project = h.newProject()
	conversation = h.newConversation(m{"project_id": project.ID}).ID
	_, editor = h.user("editor", models.AccountUser, models.ScopeAdmin)
	_, viewer = h.user("viewer", models.AccountUser, models.ScopeAdmin)
	for _, name := range []string{"editor", "viewer"} {
		h.do("POST", "/api/v1/projects/"+project.ID+"/members", m{"username": strings.ToUpper(name), "role": name}).
			is(200, `"role":"`+name+`"`)
	}
	return project, conversation, editor, viewer
}

// as runs do with another account's token.
func (h *house) as(token string, do func()) {
	before := h.token
	h.token = token
	defer func() { h.token = before }()
	do()
}

// US4: members of a project see it, its files and its conversations, and who wrote what; a
// viewer changes nothing, an editor is not its owner.
func TestMembersShareAProject(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	project, conversation, editor, viewer := h.sharedProject()
	private := h.newProject()
	h.model.On(llmtest.User("hello")).Steps(llmtest.Text("hi"))
	base := "/api/v1/projects/" + project.ID
	h.as(editor, func() {
		h.do("GET", "/api/v1/projects", nil).is(200, project.ID, `"role":"editor"`)
		h.do("PUT", base+"/files/a.txt", "x", "Content-Type", "text/plain").is(201)
		h.say(conversation, "hello")
		h.do("PATCH", "/api/v1/conversations/"+conversation, m{"title": "ours"}).is(200)
		h.do("PATCH", "/api/v1/conversations/"+conversation, m{"project_id": ""}).is(403, `"code":"forbidden"`)
		h.do("POST", "/api/v1/conversations/"+conversation+"/runs", m{"text": "hello", "project_id": private.ID}).is(404)
		h.do("PATCH", base, m{"name": "mine now"}).is(403, "ask its owner")
		h.do("DELETE", base, nil).is(403)
		h.do("POST", base+"/members", m{"username": "editor", "role": "editor"}).is(403)
		h.do("POST", "/api/v1/conversations/"+conversation+"/share", m{}).is(403)
		own := h.newConversation(m{"project_id": project.ID})
		h.do("GET", "/api/v1/conversations", nil).is(200, own.ID, conversation)
		stray := h.newConversation(m{})
		h.do("PATCH", "/api/v1/conversations/"+stray.ID, m{"project_id": project.ID}).is(403, "open a new conversation")
	})
	h.as(viewer, func() {
		h.do("GET", base, nil).is(200, `"role":"viewer"`)
		h.do("GET", base+"/files/a.txt", nil).is(200)
		h.do("GET", base+"/members", nil).is(200, `"role":"owner"`, `"name":"editor"`)
		h.do("GET", "/api/v1/conversations/"+conversation+"/messages", nil).is(200, `"author":{"id":`, `"name":"editor"`)
		h.do("POST", "/api/v1/conversations/"+conversation+"/runs", m{"text": "hello"}).is(403, `"code":"forbidden"`)
		h.do("PUT", base+"/files/b.txt", "x", "Content-Type", "text/plain").is(403)
		h.do("POST", "/api/v1/conversations", m{"project_id": project.ID}).is(403)
		h.do("GET", "/api/v1/projects/"+private.ID, nil).is(404)
	})
	h.do("POST", base+"/members", m{"username": "nobody", "role": "editor"}).is(404, `"location":"body.username"`)
	h.do("POST", base+"/members", m{"username": "owner", "role": "editor"}).is(409)
}

// US4: a membership that ends takes access, streams and runs along; what was made stays.
func TestAMembershipEnds(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	project, conversation, editor, _ := h.sharedProject()
	members := into[List[Member]](h.do("GET", "/api/v1/projects/"+project.ID+"/members", nil).is(200))
	id := members.Items[1].UserID
	all := h.watch("/api/v1/events", bearer(editor)...)
	one := h.watch("/api/v1/conversations/"+conversation+"/events", bearer(editor)...)
	if snapshot := all.next(); snapshot.kind != "snapshot" {
		t.Fatalf("the stream begins with %s", snapshot.kind)
	}
	h.as(editor, func() { h.asksIn(conversation, "ask 1") })
	if event := all.next(); !strings.Contains(event.data, conversation) {
		t.Errorf("the stream of all conversations has not the shared one: %s", event.data)
	}
	h.do("DELETE", "/api/v1/projects/"+project.ID+"/members/"+id, nil).is(204)
	all.rest()
	one.rest()
	active, err := h.store.ActiveRuns(t.Context(), conversation)
	if err != nil || len(active) > 0 {
		t.Errorf("the member's run goes on: %v, %v", active, err)
	}
	h.as(editor, func() {
		h.do("GET", "/api/v1/projects/"+project.ID, nil).is(404)
		h.do("GET", "/api/v1/conversations/"+conversation+"/messages", nil).is(404)
		h.do("DELETE", "/api/v1/projects/"+project.ID+"/members/"+id, nil).is(404)
	})
	h.do("GET", "/api/v1/conversations/"+conversation+"/messages", nil).is(200, `"name":"editor"`)
}

// TG5, US4: in a shared conversation its owner decides, not the member whose agent asks, nor
// another member; everybody sees who did.
func TestTheOwnerDecidesForAMember(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	owner, ownerToken := h.user("anna", models.AccountUser, models.ScopeAdmin)
	h.token = ownerToken
	_, conversation, editor, viewer := h.sharedProject()
	var waiting []*Approval
	h.as(editor, func() { _, waiting = h.asksIn(conversation, "ask 1") })
	path := "/api/v1/approvals/" + waiting[0].ID
	for _, member := range []string{editor, viewer} {
		h.as(member, func() {
			h.do("GET", path, nil).is(200, `"status":"pending"`)
			h.do("POST", path, m{"decision": "approve"}).is(403, `"code":"forbidden"`)
			h.do("POST", "/api/v1/conversations/"+conversation+"/runs", m{"text": "/approve"}).is(403)
		})
	}
	h.do("POST", path, m{"decision": "approve", "scope": "always"}).is(422, `"location":"body.scope"`)
	h.do("POST", path, m{"decision": "approve"}).is(200, `"decided_by":"`+owner, `"decided_by_name":"anna"`)
	h.as(editor, func() { h.do("GET", path, nil).is(200, `"decided_by_name":"anna"`) })
}

// US5: what is shared as a viewer cannot be changed by any operation, and members of both
// roles reach nothing else of its owner.
func TestAMemberReachesNothingElse(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	theirs := h.fill()
	project, conversation, editor, viewer := h.sharedProject()
	shared := belongings{"projects": project.ID, "conversations": conversation, "share": theirs["share"]}
	for kind, id := range theirs {
		if shared[kind] == "" {
			shared[kind] = id
		}
	}
	walked := 0
	doc := h.walkedDocument()
	for path, operations := range doc.Paths {
		for method, op := range operations {
			method = strings.ToUpper(method)
			ask := func(token string, ids belongings) (answer, bool) {
				url, foreign := ids.url(t, path)
				contentType, body := exampleBody(op, doc.Components.Schemas, ids)
				if !foreign || len(op.Security) == 1 && len(op.Security[0]) == 0 {
					return answer{}, false
				}
				walked++
				return h.do(method, "/api/v1"+url, body, append(bearer(token), "Content-Type", contentType)...), true
			}
			for who, token := range map[string]string{"editor": editor, "viewer": viewer} {
				got, asked := ask(token, theirs)
				if asked && got.status != http.StatusForbidden && got.status != http.StatusNotFound {
					t.Errorf("%s %s as %s of another project: %d %s", method, path, who, got.status, got.body)
				}
			}
			if method == "GET" || path == "/projects/{id}/search" {
				continue
			}
			got, asked := ask(viewer, shared)
			if asked && got.status != http.StatusForbidden && got.status != http.StatusNotFound {
				t.Errorf("%s %s as viewer: %d %s", method, path, got.status, got.body)
			}
		}
	}
	if walked < 100 {
		t.Errorf("only %d requests were made", walked)
	}
}
