package api

import (
	"os"
	"path/filepath"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

func TestAProjectIsMadeChangedAndDeletedWithItsDirectory(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.do("POST", "/api/v1/projects", m{"name": " Site ", "description": "d", "instructions": "i"}).is(201,
		`"name":"Site"`, `"path":""`)
	p := into[Project](a)
	path, dir := "/api/v1/projects/"+p.ID, filepath.Join(h.dir, "projects", p.ID)
	if a.header.Get("Location") != path {
		t.Errorf("Location %q", a.header.Get("Location"))
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
	tag := h.do("GET", path, nil).is(200).header.Get("ETag")
	h.do("PATCH", path, m{"name": "Page", "instructions": nil}, "If-Match", tag).is(200, `"name":"Page"`,
		`"instructions":""`, `"description":"d"`)
	h.do("PATCH", path, m{"name": "Late"}, "If-Match", tag).is(412)
	h.do("GET", "/api/v1/projects?q=pag", nil).is(200, p.ID)
	h.do("GET", "/api/v1/projects?q=none", nil).is(200, `"items":[]`)
	h.do("PUT", path+"/files/a.txt", "a").is(201)
	h.do("DELETE", path, nil, "If-Match", tag).is(412)
	h.do("DELETE", path, nil).is(204)
	h.do("GET", path, nil).is(404)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory is still there: %v", err)
	}
}

// A directory of the person's own is opened in place and never deleted.
func TestAProjectMayBeADirectoryOfOnesOwn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	dir := filepath.Join(h.roots, "mine")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p := into[Project](h.do("POST", "/api/v1/projects", m{"name": "mine", "path": dir}).is(201))
	h.do("PUT", "/api/v1/projects/"+p.ID+"/files/a.txt", "a").is(201)
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err != nil {
		t.Error(err)
	}
	h.do("DELETE", "/api/v1/projects/"+p.ID, nil).is(204)
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err != nil {
		t.Errorf("the person's file is gone: %v", err)
	}
}

func TestADeletedProjectTakesItsConversationsAndStopsTheirRuns(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	t.Cleanup(gate.Release)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("never").At(gate))
	p := h.newProject()
	c, other := h.newConversation(m{"project_id": p.ID}), h.newConversation(m{})
	run := into[Run](h.do("POST", "/api/v1/conversations/"+c.ID+"/runs", m{"text": "wait"}).is(202))
	within := into[Run](h.do("POST", "/api/v1/conversations/"+other.ID+"/runs",
		m{"text": "wait", "project_id": p.ID}).is(202))
	if err := h.model.WaitCalls(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	h.do("DELETE", "/api/v1/projects/"+p.ID, nil).is(204)
	h.do("GET", "/api/v1/conversations/"+c.ID, nil).is(404)
	h.do("GET", "/api/v1/runs/"+run.ID, nil).is(404)
	h.do("GET", "/api/v1/runs/"+within.ID, nil).is(200, `"status":"cancelled"`)
}

// A6: whoever deletes a project sees how many conversations go with it.
func TestAProjectSaysHowManyConversationsItHas(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	with, without := h.newProject(), h.newProject()
	for range 3 {
		h.newConversation(m{"project_id": with.ID})
	}
	h.newConversation(m{})
	h.do("GET", "/api/v1/projects/"+with.ID, nil).is(200, `"conversation_count":3`)
	h.do("GET", "/api/v1/projects/"+without.ID, nil).is(200, `"conversation_count":0`)
	for _, one := range into[List[Project]](h.do("GET", "/api/v1/projects", nil).is(200)).Items {
		if want := map[string]int64{with.ID: 3}[one.ID]; one.Conversations != want {
			t.Errorf("%s has %d conversations, want %d", one.ID, one.Conversations, want)
		}
	}
}
