package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/store"
	"nanoclaw/internal/store/storetest"
	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// WS6: a deleted conversation's sandbox goes with it, from the disk and from the store, also
// while it is in use; others stay.
func TestDeletingAConversationDeletesItsSandbox(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	model.On(llmtest.UserContains("begin")).Steps(
		calls(t, "file_write", args{"path": "notes.md", "content": "the blue one"}),
		llmtest.Text("done"))
	h := newHouse(t, scripted(model, "guard: {level: off}\nworkspace: {mode: sandbox, isolation_scope: session}\n"))
	project := h.create("/projects", `{"name":"p"}`)
	first := h.create("/conversations", `{"title":"t","project_id":"`+project+`"}`)
	second := h.create("/conversations", `{"title":"t","project_id":"`+project+`"}`)
	for _, conversation := range []string{first, second} {
		if status, results := h.ended(h.send(conversation, "begin")); status != "completed" {
			t.Fatalf("the run %s: %s", status, results)
		}
	}
	if status := h.call("DELETE", "/api/v1/conversations/"+first, "", nil); status != 204 {
		t.Fatalf("deleting the conversation is %d", status)
	}
	left, err := os.ReadDir(filepath.Join(h.dir, "data", "sandboxes", project))
	if err != nil || len(left) != 1 {
		t.Errorf("after a conversation was deleted there are the sandboxes %v, %v", left, err)
	}
	if got := h.text("/api/v1/projects/" + project + "/files/notes.md?conversation=" + second); got != "the blue one" {
		t.Errorf("the other conversation has %q", got)
	}
}

// WS5, WS6: shared files of a deleted conversation, user or project go too; those of a
// conversation that was made anew with its id, and everybody else's, stay.
func TestSharedFilesOfWhatWasDeletedGo(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.DataDir = t.TempDir()
	w := newWorkspaces(&App{Live: config.Fixed(c), Logger: slog.New(slog.DiscardHandler), Store: openDatabase(t)})
	t.Cleanup(func() { w.sandboxes.Close(context.Background()); w.close() })
	files, err := w.remoteStore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"p/", "p/agent/u1", "p/session/", "p/session/anew", "p/user/u2"}
	for _, name := range append(want, "p/session/c1", "p/session/c1#hidden", "p2/session/c1", "p/user/u1", "gone/") {
		project, scope, _ := strings.Cut(name, "/")
		_, err := files.Files(remote.Namespace{Project: project, Scope: scope}, nil).Write(t.Context(), "f", []byte("x"),
			workspace.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	err = w.removeDeleted(t.Context(), []store.Deletion{{Kind: store.DeletedConversation, ID: "c1"},
		{Kind: store.DeletedConversation, ID: "anew"}, {Kind: store.DeletedUser, ID: "u1"},
		{Kind: store.DeletedProject, ID: "gone"}},
		func(_ context.Context, d store.Deletion) (bool, error) { return d.ID != "anew", nil })
	if err != nil {
		t.Fatal(err)
	}
	left, err := files.Namespaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ns := range left {
		got = append(got, ns.Project+"/"+ns.Scope)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("left is %q, want %q", got, want)
	}
}

// openDatabase is an empty database of the engine that is tested.
func openDatabase(t *testing.T) *store.Store {
	t.Helper()
	db, err := store.Open(t.Context(), storetest.Options(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// WS6, GR5: of several servers on one database one has a sandbox at a time: the next one gets
// it when it is dropped, and the holder learns that somebody waits. A database that only one
// server can use keeps nobody away.
func TestSandboxLeasesKeepOtherServersAway(t *testing.T) {
	t.Parallel()
	db, ctx := openDatabase(t), t.Context()
	a, b := sandboxLeases{db, "a"}, sandboxLeases{db, "b"}
	check := func(what string, got bool, err error, want bool) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", what, got, err, want)
		}
	}
	const name = "sandbox p/x"
	shared := db.Shared()
	taken, err := a.Take(ctx, name)
	check("the first takes it", taken, err, true)
	taken, err = a.Take(ctx, name)
	check("and extends it", taken, err, true)
	taken, err = b.Take(ctx, name)
	check("the second takes it", taken, err, !shared)
	held, err := b.Held(ctx, name)
	check("it is held", held, err, shared)
	waits, err := a.Wanted(ctx, name)
	check("nobody waits", waits, err, false)
	if err := b.Want(ctx, name); err != nil {
		t.Fatal(err)
	}
	waits, err = a.Wanted(ctx, name)
	check("the second waits", waits, err, shared)
	if err := b.Drop(ctx, name); err != nil { // not its own
		t.Fatal(err)
	}
	held, err = a.Held(ctx, name)
	check("it is held on", held, err, shared)
	if err := a.Drop(ctx, name); err != nil {
		t.Fatal(err)
	}
	held, err = a.Held(ctx, name)
	check("it is held when it was dropped", held, err, false)
	taken, err = b.Take(ctx, name)
	check("the second takes it then", taken, err, true)
}
