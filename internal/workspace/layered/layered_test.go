package layered_test

import (
	"os"
	"path/filepath"
	"testing"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/layered"
	"nanoclaw/internal/workspace/workspacetest"
)

func local(t *testing.T, limits workspace.Limits) *workspace.Local {
	return workspace.NewLocal(t.TempDir(), func() workspace.Limits { return limits })
}

// WS1, WS7: two layers behave as the conformance suite of Filesystem says.
func TestLayersAreAFilesystem(t *testing.T) {
	t.Parallel()
	workspacetest.Run(t, func(t *testing.T, limits workspace.Limits) workspace.Filesystem {
		return layered.New(local(t, limits), local(t, limits), local(t, workspace.Limits{}),
			func() workspace.Limits { return limits })
	})
}

func put(t *testing.T, files workspace.Filesystem, path, content string) {
	t.Helper()
	if _, err := files.Write(t.Context(), path, []byte(content), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, files workspace.Filesystem, path, content string) {
	t.Helper()
	got, err := files.Read(t.Context(), path, 0, 0)
	if content == "" {
		if !workspace.IsCode(err, workspace.CodeNotFound) {
			t.Errorf("%s: %q, %v; want nothing", path, got.Data, err)
		}
		return
	}
	if err != nil || string(got.Data) != content {
		t.Errorf("%s: %q, %v; want %q", path, got.Data, err, content)
	}
}

func remove(t *testing.T, files workspace.Filesystem, path string) {
	t.Helper()
	if err := files.Delete(t.Context(), path, workspace.DeleteOptions{Recursive: true}); err != nil {
		t.Fatal(err)
	}
}

// WS7: reads prefer the store, writes go to it, and the disk is never changed.
func TestTheStoreIsReadFirstAndWritten(t *testing.T) {
	t.Parallel()
	upper, lower := local(t, workspace.Limits{}), local(t, workspace.Limits{})
	files := layered.New(upper, lower, nil, nil)
	put(t, lower, "skills/a/SKILL.md", "disk a")
	put(t, lower, "skills/b/SKILL.md", "disk b")
	want(t, files, "skills/a/SKILL.md", "disk a")
	if _, err := files.Append(t.Context(), "skills/a/SKILL.md", []byte(" and more")); err != nil {
		t.Fatal(err)
	}
	want(t, files, "skills/a/SKILL.md", "disk a and more")
	want(t, lower, "skills/a/SKILL.md", "disk a")
	want(t, upper, "skills/a/SKILL.md", "disk a and more")
	put(t, files, "skills/c/SKILL.md", "store c")
	listing, err := files.Glob(t.Context(), "skills/*/SKILL.md", workspace.GlobOptions{})
	if err != nil || len(listing.Entries) != 3 {
		t.Fatalf("the layers list %+v, %v", listing.Entries, err)
	}
	remove(t, files, "skills/a/SKILL.md")
	want(t, files, "skills/a/SKILL.md", "disk a")
	if err := files.Delete(t.Context(), "skills/b", workspace.DeleteOptions{Recursive: true}); !workspace.IsCode(err,
		workspace.CodeAccessDenied) {
		t.Fatalf("deleting what only the disk has ends with %v", err)
	}
}

// WS7: a link on the disk leads to its target in the eyes of the guard, too.
func TestALinkOfTheDiskIsResolved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lower := workspace.NewLocal(dir, nil)
	files := layered.New(local(t, workspace.Limits{}), lower, nil, nil)
	put(t, lower, ".env", "KEY=1")
	put(t, lower, "skills/a", "x")
	if err := os.Symlink("../.env", filepath.Join(dir, "skills", "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"skills/link": ".env", "skills/a": "skills/a", "skills/new": "skills/new"} {
		if got, err := workspace.RealPath(t.Context(), files, path); err != nil || got != want {
			t.Errorf("%s leads to %s, %v", path, got, err)
		}
	}
}

// WS7: a tombstone hides what the disk has, also below a directory, until it is written again.
func TestATombstoneHidesTheDisk(t *testing.T) {
	t.Parallel()
	upper, lower := local(t, workspace.Limits{}), local(t, workspace.Limits{})
	files := layered.New(upper, lower, local(t, workspace.Limits{}), nil)
	put(t, lower, "memory/2026/01.md", "january")
	put(t, lower, "memory/2026/02.md", "february")
	put(t, lower, "MEMORY.md", "disk")
	put(t, files, "MEMORY.md", "store")
	remove(t, files, "MEMORY.md")
	want(t, files, "MEMORY.md", "")
	remove(t, files, "memory/2026/01.md")
	want(t, files, "memory/2026/01.md", "")
	want(t, files, "memory/2026/02.md", "february")
	remove(t, files, "memory")
	want(t, files, "memory/2026/02.md", "")
	put(t, files, "memory/2026/03.md", "march")
	listing, err := files.List(t.Context(), "", workspace.ListOptions{Recursive: true})
	if err != nil || len(listing.Entries) != 3 {
		t.Fatalf("after all deletes there are %+v, %v", listing.Entries, err)
	}
	want(t, lower, "memory/2026/01.md", "january")
	put(t, lower, "d/x", "x")
	put(t, files, "d/y", "y")
	if err := files.Move(t.Context(), "d", "moved"); err != nil {
		t.Fatal(err)
	}
	want(t, files, "moved/x", "x")
	want(t, files, "moved/y", "y")
	want(t, files, "d/x", "")
}
