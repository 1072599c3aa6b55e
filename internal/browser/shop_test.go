package browser

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/tools"
)

// MD1: a person's way through a shop: every kind of field, a form, options, a box.
func TestAFormIsFilledAndSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := w.open("/shop.html")
	if page.Title != "The shop" || page.URL != w.site.URL+"/shop.html" {
		t.Errorf("%q at %s", page.Title, page.URL)
	}
	shows(t, page, `heading "Lanterns" [level=1]`, `button "Locked"`, "[disabled]", `option "Red lantern" [selected]`)
	w.do(tools.BrowserAction{Op: "type", Ref: ref(t, page, `textbox "Name"`), Text: "Ada 灯"})
	w.do(tools.BrowserAction{Op: "select", Ref: ref(t, page, `combobox "Kind"`), Values: []string{"blue LANTERN"}})
	w.do(tools.BrowserAction{Op: "type", Ref: ref(t, page, `spinbutton "Amount"`), Text: "3"})
	w.do(tools.BrowserAction{Op: "type", Ref: ref(t, page, `"Day"`), Text: "2026-11-23"})
	w.do(tools.BrowserAction{Op: "click", Ref: ref(t, page, `checkbox "Gift"`)})
	shows(t, w.do(tools.BrowserAction{Op: "click", Ref: ref(t, page, `button "Order"`)}),
		"Ordered 3 b for Ada 灯 as a gift on 2026-11-23", `checkbox "Gift" [`+ref(t, page, `checkbox "Gift"`)+`] [checked]`)
	shows(t, w.do(tools.BrowserAction{Op: "type", Ref: ref(t, page, `textbox "Name"`), Text: "Bob", Submit: true}),
		"for Bob")
	_, err := w.try(w.conversation, tools.BrowserAction{Op: "select", Ref: ref(t, page, `combobox "Kind"`),
		Values: []string{"Green"}})
	fails(t, err, tools.CodeInvalidArguments, "Blue lantern")
}

// MD1: a login lasts in its conversation, and no other conversation has it.
func TestALoginBelongsToOneConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mux.HandleFunc("POST /session", func(rw http.ResponseWriter, r *http.Request) {
		if r.FormValue("user") == "ada" && r.FormValue("password") == "s3cret" {
			http.SetCookie(rw, &http.Cookie{Name: "who", Value: "ada", Path: "/"})
		}
		http.Redirect(rw, r, "/me", http.StatusSeeOther)
	})
	w.mux.HandleFunc("/me", func(rw http.ResponseWriter, r *http.Request) {
		name := "nobody"
		if cookie, err := r.Cookie("who"); err == nil {
			name = cookie.Value
		}
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(rw, "<p>You are %s</p>", name)
	})
	page := w.open("/login.html")
	w.do(tools.BrowserAction{Op: "type", Ref: ref(t, page, `"User"`), Text: "ada"})
	password := tools.BrowserAction{Op: "type", Ref: ref(t, page, `"Password"`), Text: "s3cret", Submit: true}
	_, err := w.try(w.conversation, password)
	fails(t, err, codeApproval, "sensitive")
	password.Sensitive = true
	shows(t, w.do(password), "You are ada")
	shows(t, w.open("/me"), "You are ada")
	other, err := w.try(w.conversation+"2", tools.BrowserAction{Op: "open", URL: "/me"})
	if err != nil {
		t.Fatal(err)
	}
	shows(t, other, "You are nobody")
	w.service.EndConversation(w.conversation)
	shows(t, w.open("/me"), "You are nobody")
}

// MD1: what scrolling brings, frames, shadow roots, dialogs, late content, tabs, history.
func TestPagesThatAreMoreThanADocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.open("/list.html")
	for range 3 {
		w.do(tools.BrowserAction{Op: "scroll", Direction: "down"})
	}
	shows(t, w.do(tools.BrowserAction{Op: "snapshot"}), "Lantern 60")

	page := w.open("/frames.html")
	w.do(tools.BrowserAction{Op: "type", Ref: ref(t, page, `textbox "Inner name"`), Text: "Eve"})
	shows(t, w.do(tools.BrowserAction{Op: "click", Ref: ref(t, page, "Inner button")}), "Inner says Eve")
	shows(t, w.do(tools.BrowserAction{Op: "click", Ref: ref(t, page, "In the shadow")}), "The shadow answered")
	part := w.do(tools.BrowserAction{Op: "snapshot", Ref: ref(t, page, "Iframe")})
	if shows(t, part, "Inner button"); strings.Contains(part.Snapshot, "Outer") {
		t.Errorf("the part is the whole: %s", part.Snapshot)
	}

	page = w.open("/shop.html")
	deleted := w.do(tools.BrowserAction{Op: "click", Ref: ref(t, page, "Delete")})
	if shows(t, deleted, "kept"); !strings.Contains(strings.Join(deleted.Notes, ""), "Really delete?") {
		t.Errorf("no note of the dialog: %q", deleted.Notes)
	}
	shows(t, w.do(tools.BrowserAction{Op: "click", Ref: ref(t, page, "Delete"), Accept: true}), "deleted")
	shows(t, w.do(tools.BrowserAction{Op: "click", Ref: ref(t, page, "Greet"), Accept: true, Reply: "Ada"}), "Hello Ada")
	w.do(tools.BrowserAction{Op: "click", Ref: ref(t, page, "Later")})
	shows(t, w.do(tools.BrowserAction{Op: "wait", Text: "it came LATE"}), "It came late")
	_, err := w.try(w.conversation, tools.BrowserAction{Op: "wait", Text: "never", Seconds: 1})
	fails(t, err, tools.CodeTimeout, "never")

	catalogue := w.do(tools.BrowserAction{Op: "click", Ref: ref(t, page, "Catalogue")})
	if catalogue.Title != "Catalogue" || len(catalogue.Tabs) != 2 || len(catalogue.Notes) != 1 {
		t.Fatalf("%q %v %q", catalogue.Title, catalogue.Tabs, catalogue.Notes)
	}
	listed := w.do(tools.BrowserAction{Op: "tabs"}).Tabs
	if len(listed) != 2 || listed[0].Title != "The shop" || listed[1].Title != "Catalogue" {
		t.Errorf("the tabs are %+v", listed)
	}
	w.do(tools.BrowserAction{Op: "tabs", Tab: catalogue.Tab, Close: true})
	first := w.do(tools.BrowserAction{Op: "snapshot"})
	if first.Title != "The shop" || len(first.Tabs) != 0 {
		t.Errorf("%q %v", first.Title, first.Tabs)
	}
	if back := w.do(tools.BrowserAction{Op: "back"}); back.Title != "Frames" {
		t.Errorf("back is %q", back.Title)
	}
	_, err = w.try(w.conversation, tools.BrowserAction{Op: "click", Ref: ref(t, page, "Delete")})
	fails(t, err, codeNotFound, "snapshot")
}

// MD1: files go into the project and come from it, and nowhere else.
func TestFilesPassBetweenThePageAndTheProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mux.HandleFunc("/files/", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Disposition", `attachment; filename="../../evil.csv"`)
		if strings.HasSuffix(r.URL.Path, "large") {
			_, _ = io.Copy(rw, io.LimitReader(zeros{}, 3<<20))
			return
		}
		_, _ = rw.Write([]byte("a,b\n"))
	})
	page := w.open("/shop.html")
	saved := w.do(tools.BrowserAction{Op: "download", Ref: ref(t, page, "Report"), Path: "in/report.csv"})
	if saved.Saved == nil || saved.Saved.Size != 4 || saved.Saved.Path != "in/report.csv" {
		t.Errorf("saved %+v", saved.Saved)
	}
	if data, err := os.ReadFile(filepath.Join(w.dir, "in/report.csv")); string(data) != "a,b\n" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	w.do(tools.BrowserAction{Op: "download", URL: "/files/other", Path: "other.csv"})
	_, err := w.try(w.conversation, tools.BrowserAction{Op: "download", URL: "/files/large", Path: "large"})
	fails(t, err, codeTooLarge, "workspace.max_file_size")
	offered := w.do(tools.BrowserAction{Op: "click", Ref: ref(t, page, "Report")})
	later := w.do(tools.BrowserAction{Op: "wait", Seconds: 1})
	if notes := strings.Join(append(offered.Notes, later.Notes...), ""); !strings.Contains(notes, "evil.csv") {
		t.Error("a download that nobody asked for is not told")
	}
	if err := os.WriteFile(filepath.Join(w.dir, "paper.txt"), bytes.Repeat([]byte("x"), 77), 0o600); err != nil {
		t.Fatal(err)
	}
	up := tools.BrowserAction{Op: "upload", Ref: ref(t, page, `"Papers`), Files: []string{"paper.txt", "in/report.csv"}}
	shows(t, w.do(up), "paper.txt 77, report.csv 4")
	up.Ref, up.Files = ref(t, page, "Attach"), []string{"paper.txt"}
	shows(t, w.do(up), "paper.txt 77")
	up.Files = []string{"../paper.txt"}
	if _, err := w.try(w.conversation, up); err == nil {
		t.Error("a file outside of the project was uploaded")
	}
	// Downloads have the names of their GUIDs.
	left, err := filepath.Glob(filepath.Join(w.service.dir(), "chromium-*", "*-*-*-*-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("downloads are left behind: %v %v", left, err)
	}
}

// zeros is an endless file.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
