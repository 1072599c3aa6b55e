package composite_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/composite"
	"nanoclaw/internal/workspace/layered"
	"nanoclaw/internal/workspace/remote"
	"nanoclaw/internal/workspace/workspacetest"
)

func openStore(t *testing.T) *remote.Store {
	t.Helper()
	store, err := remote.Open(t.Context(), remote.Options{Dir: t.TempDir(), Grace: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

// together is a local root with routes to a remote store, as a server has them.
func together(t *testing.T, store *remote.Store, limits workspace.Limits, prefixes ...string) (files *composite.Files,
	root, shared workspace.Filesystem) {
	t.Helper()
	of := func() workspace.Limits { return limits }
	root = workspace.NewLocal(t.TempDir(), of)
	shared = store.Files(remote.Namespace{Project: t.Name()}, of)
	hidden := store.Files(remote.Namespace{Project: t.Name(), Scope: "hidden"}, nil)
	layers := layered.New(shared, root, hidden, of)
	var routes []composite.Route
	for _, prefix := range prefixes {
		routes = append(routes, composite.Route{Prefix: prefix, Files: layers})
	}
	files, err := composite.New(root, routes, of)
	if err != nil {
		t.Fatal(err)
	}
	return files, root, shared
}

// WS1, WS3: a local root with shared prefixes behaves as the conformance suite says,
// where the suite's files are shared, and where they are not.
func TestCompositeIsAFilesystem(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	for name, prefixes := range map[string][]string{
		"beside the suite's files": {"memory/", "MEMORY.md"},
		"among the suite's files":  {"dir/", "a.txt", "x/y/", "src/", "odd/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			workspacetest.Run(t, func(t *testing.T, limits workspace.Limits) workspace.Filesystem {
				if limits.MaxFiles > 0 || limits.MaxTotalSize > 0 {
					files, _, _ := together(t, store, limits) // each file system counts its own
					return files
				}
				files, _, _ := together(t, store, limits, prefixes...)
				return files
			})
		})
	}
}

func put(t *testing.T, files workspace.Filesystem, path, content string) {
	t.Helper()
	if _, err := files.Write(t.Context(), path, []byte(content), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, files workspace.Filesystem, path string) string {
	t.Helper()
	got, err := files.Read(t.Context(), path, 0, 0)
	if workspace.IsCode(err, workspace.CodeNotFound) || workspace.IsCode(err, workspace.CodeNotADirectory) {
		return "missing"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(got.Data)
}

func all(t *testing.T, files workspace.Filesystem) string {
	t.Helper()
	listing, err := files.List(t.Context(), "", workspace.ListOptions{Recursive: true})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, entry := range listing.Entries {
		paths = append(paths, entry.Path)
	}
	return strings.Join(paths, " ")
}

// WS3, the flow of the seed: long-term memory is shared, the rest of the project is not.
func TestSharedKnowledge(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	prefixes := []string{"MEMORY.md", "memory/", "agents/coder/sessions/"}
	one, _, shared := together(t, store, workspace.Limits{}, prefixes...)
	put(t, one, "notes.md", "mine alone")
	put(t, one, "MEMORY.md", "remember this")
	put(t, one, "memory/2026-11-23.md", "a day")
	put(t, one, "agents/coder/sessions/1.jsonl", "{}")
	put(t, one, "agents/coder/profile.md", "on the disk")
	if got := all(t, shared); got !=
		"MEMORY.md agents agents/coder agents/coder/sessions agents/coder/sessions/1.jsonl memory memory/2026-11-23.md" {
		t.Errorf("shared is %s", got)
	}
	// Another replica: another disk, the same store.
	two, err := composite.New(workspace.NewLocal(t.TempDir(), nil), []composite.Route{{Prefix: "MEMORY.md",
		Files: shared}, {Prefix: "memory/", Files: shared}, {Prefix: "agents/coder/sessions/", Files: shared}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"notes.md": "missing", "MEMORY.md": "remember this",
		"memory/2026-11-23.md": "a day", "agents/coder/sessions/1.jsonl": "{}", "agents/coder/profile.md": "missing"} {
		if got := content(t, two, path); got != want {
			t.Errorf("the other replica reads %s as %q, want %q", path, got, want)
		}
	}
	if got := all(t, two); got !=
		"MEMORY.md agents agents/coder agents/coder/sessions agents/coder/sessions/1.jsonl memory memory/2026-11-23.md" {
		t.Errorf("the other replica lists %s", got)
	}
	found, err := one.Grep(t.Context(), workspace.GrepOptions{Pattern: "mine|day|disk"})
	if err != nil || len(found.Matches) != 3 {
		t.Errorf("a search finds %+v, %v", found.Matches, err)
	}
	globbed, err := one.Glob(t.Context(), "**/*.md", workspace.GlobOptions{})
	if err != nil || len(globbed.Entries) != 4 {
		t.Errorf("a glob finds %+v, %v", globbed.Entries, err)
	}
	if _, ok := any(one).(workspace.SandboxFilesystem); ok {
		t.Error("a composite can run commands")
	}
}

// WS3: the longest prefix wins, and an exact route is one file.
func TestTheLongestPrefixWins(t *testing.T) {
	t.Parallel()
	root, wide, narrow := workspace.NewLocal(t.TempDir(), nil), workspace.NewLocal(t.TempDir(), nil),
		workspace.NewLocal(t.TempDir(), nil)
	files, err := composite.New(root, []composite.Route{{"a/", wide}, {"a/b/", narrow}, {"a/c", root}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a/x", "a/b/x", "a/c", "a/cc", "ab/x"} {
		put(t, files, path, path)
	}
	for files, want := range map[workspace.Filesystem]string{
		root: "a a/c ab ab/x", wide: "a a/cc a/x", narrow: "a a/b a/b/x", files: "a a/b a/b/x a/c a/cc a/x ab ab/x",
	} {
		if got := all(t, files); got != want {
			t.Errorf("there is %s, want %s", got, want)
		}
	}
	for _, prefix := range []string{"../x/", "/x", "", ".", "a/../..", "a/", ".nanoclaw/"} {
		if _, err := composite.New(root, []composite.Route{{"a", wide}, {prefix, wide}}, nil); err == nil {
			t.Errorf("the prefix %q is accepted", prefix)
		}
	}
}

// watched is a local file system that is looked at while a file of it is read.
type watched struct {
	*workspace.Local
	look func()
}

func (w *watched) Download(ctx context.Context, path string) (io.ReadCloser, workspace.Entry, error) {
	w.look()
	return w.Local.Download(ctx, path)
}

// WS3: what moves from one file system to another is whole at one place or the other.
func TestAMoveAcrossRoutesIsWhole(t *testing.T) {
	t.Parallel()
	shared := openStore(t).Files(remote.Namespace{Project: "p"}, nil)
	root := &watched{Local: workspace.NewLocal(t.TempDir(), nil), look: func() {}}
	files, err := composite.New(root, []composite.Route{{"shared/", shared}, {"X.md", shared}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		put(t, files, fmt.Sprintf("work/sub/%d.txt", i), strings.Repeat("x", i))
	}
	looks := 0
	root.look = func() {
		looks++
		if got := all(t, shared); got != "" {
			t.Errorf("in the middle of the move a reader sees %s", got)
		}
		if got := len(strings.Fields(all(t, root))); got != 32 {
			t.Errorf("in the middle of the move %d entries are at the old place", got)
		}
	}
	if err := files.Move(t.Context(), "work", "shared/work"); err != nil {
		t.Fatal(err)
	}
	if got := all(t, root); got != "" || looks != 30 {
		t.Errorf("the root still has %s after %d looks", got, looks)
	}
	if got := len(strings.Fields(all(t, shared))); got != 33 {
		t.Errorf("%d entries were moved", got)
	}
	if err := files.Move(t.Context(), "shared/work", "back"); err != nil {
		t.Fatal(err)
	}
	if got := content(t, root, "back/sub/7.txt"); got != "xxxxxxx" || strings.Contains(all(t, shared), "txt") {
		t.Errorf("the file that came back is %q", got)
	}
	root.look = func() {}
	put(t, files, "one.md", "one")
	if err := files.Move(t.Context(), "one.md", "X.md"); err != nil || content(t, shared, "X.md") != "one" ||
		content(t, root, "one.md") != "missing" {
		t.Errorf("the file was not moved: %v", err)
	}
}

// WS3: while the store is away local files go on, and shared ones are a clear error.
func TestLocalFilesGoOnWithoutTheStore(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	files, _, _ := together(t, store, workspace.Limits{}, "memory/")
	put(t, files, "memory/x", "x")
	store.Close()
	put(t, files, "local", "y")
	if got := content(t, files, "local"); got != "y" {
		t.Errorf("the local file is %q", got)
	}
	if _, err := files.Read(t.Context(), "memory/x", 0, 0); !workspace.IsCode(err, workspace.CodeUnavailable) {
		t.Errorf("the shared file is %v", err)
	}
}
