package undo

import (
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/composite"
	"nanoclaw/internal/workspace/layered"
	"nanoclaw/internal/workspace/remote"
)

// share makes the project one of mode remote, with tombstones.
func (w *world) share() {
	w.t.Helper()
	store, err := remote.Open(w.t.Context(), remote.Options{Dir: w.t.TempDir(), Grace: time.Hour})
	w.must(err)
	w.t.Cleanup(store.Close)
	ns := remote.Namespace{Project: "p"}
	layers := layered.New(store.Files(ns, nil), w.project, store.Files(remote.Namespace{Project: "p", Scope: "#hidden"},
		nil), nil)
	w.opened, err = composite.New(w.project, []composite.Route{{Prefix: "MEMORY.md", Files: layers},
		{Prefix: "memory/", Files: layers}}, nil)
	w.must(err)
}

// contents are all files that tools see, with what they hold.
func (w *world) contents() string {
	w.t.Helper()
	listing, err := w.opened.List(w.t.Context(), "", workspace.ListOptions{Recursive: true, All: true, Limit: -1})
	w.must(err)
	var all []string
	for _, entry := range listing.Entries {
		if entry.Type != workspace.TypeFile {
			all = append(all, entry.Path+"/")
			continue
		}
		read, err := w.opened.Read(w.t.Context(), entry.Path, 0, 0)
		w.must(err)
		all = append(all, entry.Path+"="+string(read.Data))
	}
	return strings.Join(all, "\n")
}

// CH11, WS7: what a run changed in shared files, in those that only the disk had, and
// between both, is listed with its diff and taken back as a whole.
func TestARunInSharedFilesIsTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.share()
	large := strings.Repeat("a long line\n", 30_000)
	before := map[string]string{"MEMORY.md": "of the store", "memory/old.md": "one\ntwo\n", "memory/gone.md": "gone",
		"notes.md": "notes", "plain.txt": "plain", "memory/large": large}
	w.limits.FileBytes = 1 << 20
	w.put("memory/disk.md", "of the disk")
	w.put("memory/hidden.md", "of the disk")
	for name, content := range before {
		_, err := w.opened.Write(t.Context(), name, []byte(content), workspace.WriteOptions{})
		w.must(err)
	}
	was := w.contents()

	w.write("MEMORY.md", "changed")
	w.write("memory/old.md", "one\nthree\n")
	w.write("memory/disk.md", "changed too")
	w.write("memory/new/deep.md", "new")
	w.write("plain.txt", "changed")
	w.write("memory/large", "short")
	w.must(w.files().Delete(t.Context(), "memory/gone.md", workspace.DeleteOptions{}))
	w.must(w.files().Delete(t.Context(), "memory/hidden.md", workspace.DeleteOptions{}))
	w.must(w.files().Move(t.Context(), "notes.md", "memory/notes.md"))

	want := "modified MEMORY.md, modified memory/disk.md, deleted memory/gone.md, deleted memory/hidden.md, " +
		"modified memory/large, created memory/new, created memory/new/deep.md, moved memory/notes.md<notes.md, " +
		"modified memory/old.md, modified plain.txt"
	if got := w.summary(); got != want {
		t.Errorf("changes are\n%s\nwant\n%s", got, want)
	}
	if diff := w.changes("memory/old.md").Items[0].Diff; !strings.Contains(diff, "-two\n+three\n") {
		t.Errorf("the diff is %q", diff)
	}
	if got := w.revert(false); strings.Contains(got, "conflict") || strings.Contains(got, "failed") ||
		strings.Contains(got, "not_revertible") {
		t.Errorf("outcomes are %s", got)
	}
	if got := w.contents(); got != was {
		t.Errorf("reverted, there is\n%.2000s\nwant\n%.2000s", got, was)
	}
	if got := w.revert(false); strings.Contains(got, "reverted") {
		t.Errorf("done again, outcomes are %s", got)
	}
}

// CH11: a shared file that somebody else changed after the run is left alone.
func TestSharedFileOfOthersIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.share()
	w.write("memory/a", "of the run")
	w.write("memory/dir/b", "of the run")
	_, err := w.opened.Write(t.Context(), "memory/a", []byte("of a person"), workspace.WriteOptions{})
	w.must(err)
	_, err = w.opened.Write(t.Context(), "memory/dir/c", []byte("of a person"), workspace.WriteOptions{})
	w.must(err)
	if got := w.revert(false); got != "conflict memory, conflict memory/a, conflict memory/dir, "+
		"reverted memory/dir/b" {
		t.Errorf("outcomes are %s", got)
	}
	if got := w.contents(); got != "memory/\nmemory/a=of a person\nmemory/dir/\nmemory/dir/c=of a person" {
		t.Errorf("there is %s", got)
	}
}
