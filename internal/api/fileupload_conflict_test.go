package api

import (
	"strings"
	"testing"
)

// A5: an upload asks before it overwrites, and what it replaces is in the trash.
func TestAnUploadDoesNotOverwriteUnasked(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	project := "/api/v1/projects/" + h.newProject().ID
	send := func(conflict string, fields ...string) answer {
		t.Helper()
		form := multipartForm(map[string]string{"over.txt": "NEW " + conflict, "d/other.txt": "NEW",
			"fresh-" + conflict: "x"}, fields...)
		return h.do("POST", project+"/upload?on_conflict="+conflict, form, "Content-Type", formType)
	}
	content := func(name, want string) {
		t.Helper()
		if got := h.do("GET", project+"/files/"+escapePath(name), nil).is(200); got.body != want {
			t.Errorf("%s is %q, want %q", name, got.body, want)
		}
	}
	h.do("PUT", project+"/files/over.txt", "ORIGINAL").is(201)
	h.do("PUT", project+"/files/d/other.txt", "ORIGINAL").is(201)
	send("").is(409, `"code":"already_exists"`, `"message":"over.txt"`, `"message":"d/other.txt"`)
	h.do("GET", project+"/files/fresh-", nil).is(404)
	content("over.txt", "ORIGINAL")
	send("skip").is(201, `"skipped":["`, "over.txt", "fresh-skip")
	content("over.txt", "ORIGINAL")
	send("keep_both").is(201, `over (2).txt`)
	content("over (2).txt", "NEW keep_both")
	send("", "on_conflict", "replace").is(201, `"skipped":[]`)
	content("over.txt", "NEW ")
	trash := h.do("GET", project+"/trash", nil).is(200, "over.txt", "d/other.txt")
	if strings.Count(trash.body, `"deleted_at"`) != 2 {
		t.Errorf("the trash is %s", trash.body)
	}
	send("overwrite").is(422, "on_conflict")
	// A write of one file keeps what it replaces as well.
	tag := h.do("GET", project+"/files/over.txt", nil).header.Get("ETag")
	h.do("PUT", project+"/files/over.txt", "EDITED", "If-Match", tag).is(200)
	h.do("PUT", project+"/files/over.txt", "LATE", "If-Match", tag).is(412)
	if trash := h.do("GET", project+"/trash", nil).is(200); strings.Count(trash.body, `"path":"over.txt"`) != 2 {
		t.Errorf("the trash is %s", trash.body)
	}
}
