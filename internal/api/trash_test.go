package api

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/models"
)

// FS7: a file that was deleted over the API is listed, restored and purged over it.
func TestTheTrashOfAProject(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	base := "/api/v1/projects/" + h.newProject().ID
	odd := "odd \"name\"\n%2e/日本"
	for _, name := range []string{"a.txt", "d/b.txt", odd} {
		h.do("PUT", base+"/files/"+url.PathEscape(name), "text of "+name).is(201)
		h.do("DELETE", base+"/files/"+url.PathEscape(name), nil).is(204)
	}
	h.do("GET", base+"/files/a.txt", nil).is(404)
	list := into[List[TrashItem]](h.do("GET", base+"/trash?limit=2", nil).is(200,
		`"deleted_by":"`+models.LocalUserID+`"`, `"kind":"file"`))
	rest := into[List[TrashItem]](h.do("GET", base+"/trash?cursor="+*list.NextCursor, nil).is(200))
	if len(list.Items) != 2 || list.Items[0].Path != odd || len(rest.Items) != 1 || rest.Items[0].Path != "a.txt" ||
		rest.NextCursor != nil {
		t.Fatalf("the trash is %+v and %+v", list, rest)
	}
	id := rest.Items[0].ID
	h.do("PUT", base+"/files/a.txt", "another").is(201)
	h.do("POST", base+"/trash", m{"action": "restore", "ids": []string{id}}).is(409, "already_exists")
	h.do("POST", base+"/trash", m{"action": "restore", "ids": []string{id}, "to": "../a"}).is(403)
	h.do("POST", base+"/trash", m{"action": "restore", "ids": []string{id}, "to": "back/a.txt"}).is(200,
		`"path":"back/a.txt"`)
	h.do("GET", base+"/files/back/a.txt", nil).is(200, "text of a.txt")
	h.do("POST", base+"/trash", m{"action": "restore", "ids": []string{list.Items[0].ID}}).is(200)
	h.do("GET", base+"/files/"+url.PathEscape(odd), nil).is(200, "text of "+odd)
	h.do("POST", base+"/trash", m{"action": "purge", "ids": []string{id}}).is(404)
	h.do("POST", base+"/trash", m{"action": "purge", "all": true}).is(200, list.Items[1].ID)
	h.do("GET", base+"/trash", nil).is(200, `"items":[]`)
	for _, wrong := range []m{
		{"action": "restore"}, {"action": "x", "all": true}, {"action": "purge", "all": true, "ids": []string{id}},
		{"action": "purge", "ids": []string{id}, "to": "x"},
	} {
		h.do("POST", base+"/trash", wrong).is(422)
	}
	h.do("GET", "/api/v1/projects/none/trash", nil).is(404)
	h.do("GET", "/api/v1/audit?tool=purge-trash&outcome=success", nil).is(200, list.Items[1].ID)
	h.do("GET", "/api/v1/audit?tool=restore-trash&outcome=already_exists", nil).is(200, id)
}

// FS7: nothing that reads a project sees its trash, also not of one at a path of
// the user's.
func TestNothingLeadsToTheTrash(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	outside := filepath.Join(h.roots, "mine")
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	ids := []string{h.newProject().ID, into[Project](h.do("POST", "/api/v1/projects",
		m{"name": "q", "path": outside}).is(201)).ID}
	for _, id := range ids {
		base := "/api/v1/projects/" + id
		h.do("PUT", base+"/files/secret.txt", "needle").is(201)
		h.do("DELETE", base+"/files/secret.txt", nil).is(204)
		h.do("GET", base+"/files?recursive=true", nil).is(200, `"items":[]`)
		h.do("POST", base+"/search", m{"query": "needle"}).is(200, `"items":[]`)
		if zip := h.do("GET", base+"/archive", nil).is(200); strings.Contains(zip.body, "secret") {
			t.Error("the archive holds the trash")
		}
		for _, path := range []string{"..%2F.trash", ".nanoclaw%2Ftrash", "..%2F.trash%2F" + id} {
			if status := h.do("GET", base+"/files/"+path, nil).status; status != http.StatusForbidden {
				t.Errorf("%s is answered with %d", path, status)
			}
		}
		if items := into[List[TrashItem]](h.do("GET", base+"/trash", nil).is(200)).Items; len(items) != 1 {
			t.Errorf("the trash holds %+v", items)
		}
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("the user's directory holds %v, %v", entries, err)
	}
}
