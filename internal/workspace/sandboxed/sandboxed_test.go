package sandboxed

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
	"nanoclaw/internal/workspace/workspacetest"
)

// WS1, WS2: the files of a sandbox behave as the conformance suite of Filesystem says.
func TestSandboxIsAFilesystem(t *testing.T) {
	t.Parallel()
	m := newMachine(t, openStore(t), process{newTable(), "a"}, 0)
	workspacetest.Run(t, func(t *testing.T, limits workspace.Limits) workspace.Filesystem {
		files, err := m.Open(t.Context(), remote.Namespace{Project: "p", Scope: t.Name()}, workspace.Opening{
			ProjectID: "p", Local: workspace.NewLocal(t.TempDir(), nil),
			Limits: func() workspace.Limits { return limits }})
		if err != nil {
			t.Fatal(err)
		}
		return untrashed{files}
	})
}

// untrashed deletes for good: what is in the trash counts in the limits.
type untrashed struct{ *Files }

func (u untrashed) Delete(ctx context.Context, name string, opts workspace.DeleteOptions) error {
	opts.Permanent = true
	return u.Files.Delete(ctx, name, opts)
}

// WS6: a sandbox is acquired, stored when it is quiet, released when it is idle, and goes
// on where it was; whatever runs in it ends before that.
func TestSandboxIsStoredWhenQuietAndReleasedWhenIdle(t *testing.T) {
	t.Parallel()
	leases := newTable()
	m := newMachine(t, openStore(t), process{leases, "a"}, 0)
	m.write("f", "1")
	states := func() int {
		store, _ := m.Store(t.Context())
		all, err := store.States(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		return len(all.List)
	}
	if m.after(time.Second); states() != 0 {
		t.Error("it was stored while it may still be used")
	}
	if m.after(30 * time.Second); states() != 1 || len(m.held()) != 1 {
		t.Errorf("when it was quiet there are %d snapshots and %d sandboxes", states(), len(m.held()))
	}
	m.read("f")
	if m.after(30 * time.Second); states() != 1 {
		t.Error("it was stored again although nothing had changed")
	}
	files, end, err := m.open(one)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Write(t.Context(), "old", []byte("x"), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := files.Delete(t.Context(), "old", workspace.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, sb := range m.held() {
		sb.tend(t.Context(), time.Now().Add(time.Hour))
	}
	if len(m.held()) != 1 {
		t.Error("it was released while somebody used it")
	}
	end()
	m.after(time.Hour)
	if len(m.held()) != 0 || len(m.ended) != 1 || m.ended[0] != filepath.Join(m.sandboxDir(), rootDir) ||
		len(leases.owners) != 0 {
		t.Errorf("released, there are %d sandboxes, ended was %q, leases are %v", len(m.held()), m.ended, leases.owners)
	}
	if old, err := os.ReadDir(filepath.Join(m.sandboxDir(), trashDir)); err != nil || len(old) != 0 {
		t.Errorf("in the trash there is %v, %v", old, err)
	}
	if got := m.read("f"); got != "1" {
		t.Errorf("acquired again it holds %q", got)
	}
}

// WS6: only one process has a sandbox: a second one is refused clearly, gets it when the
// first does not use it, and finds what the first left.
func TestSandboxIsInOneProcessAtATime(t *testing.T) {
	t.Parallel()
	store, leases := openStore(t), newTable()
	a := newMachine(t, store, process{leases, "a"}, 0)
	a.write("f", "of a")
	refused := newMachine(t, store, process{leases, "b"}, 0)
	if _, _, err := refused.open(one); !workspace.IsCode(err, workspace.CodeUnavailable) ||
		!strings.Contains(err.Error(), "in use on another server") {
		t.Fatalf("a second process gets %v", err)
	}
	c := newMachine(t, store, process{leases, "c"}, time.Hour)
	c.TTL = 100 * time.Millisecond // how often it asks
	got := make(chan string)
	go func() { got <- c.read("f") }()
	<-leases.asked
	a.after(time.Second)
	if content := <-got; content != "of a" {
		t.Errorf("the next process reads %q", content)
	}
}

// WS6: a sandbox that was removed by force comes back from its snapshot, on the same
// machine and on another one, with links, rights and HOME; the project's own files are
// what a new one begins with.
func TestSandboxIsRestoredFromItsSnapshot(t *testing.T) {
	t.Parallel()
	store, leases := openStore(t), newTable()
	a := newMachine(t, store, process{leases, "a"}, 0)
	if err := os.MkdirAll(filepath.Join(a.dir, "project", "docs"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.dir, "project", "docs", "given.txt"), []byte("given"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.write("run.sh", "#!/bin/sh")
	dir := a.sandboxDir()
	if err := errors.Join(os.Chmod(filepath.Join(dir, rootDir, "run.sh"), 0o755),
		os.Symlink("run.sh", filepath.Join(dir, rootDir, "link")),
		os.WriteFile(filepath.Join(dir, homeDir, ".profile"), []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	a.after(time.Hour)
	if err := os.RemoveAll(filepath.Join(a.dir, "sandboxes")); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*machine{a, newMachine(t, store, process{leases, "b"}, 0)} {
		if got := m.read("link") + m.read("docs/given.txt"); got != "#!/bin/shgiven" {
			t.Errorf("the restored files hold %q", got)
		}
		info, err := os.Stat(filepath.Join(m.sandboxDir(), rootDir, "run.sh"))
		if err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("the restored script is %v, %v", info, err)
		}
		if _, err := os.Stat(filepath.Join(m.sandboxDir(), homeDir, ".profile")); err != nil {
			t.Error(err)
		}
		m.after(time.Hour)
	}
}

// WS6: a copy that is older than what another process stored is not used; changes in it
// that no snapshot has stay beside it.
func TestOlderCopyOfASandboxIsReplaced(t *testing.T) {
	t.Parallel()
	store, leases := openStore(t), newTable()
	a, b := newMachine(t, store, process{leases, "a"}, 0), newMachine(t, store, process{leases, "b"}, 0)
	a.write("f", "1")
	a.after(time.Hour)
	b.write("f", "2")
	b.after(time.Hour)
	if got := a.read("f"); got != "2" {
		t.Fatalf("the first machine reads %q", got)
	}
	a.write("f", "never stored")
	leases.give("b") // as if a had been frozen for too long
	b.write("f", "3")
	a.after(30 * time.Second) // it finds out
	if len(a.held()) != 0 {
		t.Fatal("a sandbox without a lease is still held")
	}
	b.after(time.Hour)
	if got := a.read("f"); got != "3" {
		t.Errorf("the first machine reads %q", got)
	}
	aside, err := filepath.Glob(filepath.Join(a.dir, "sandboxes", "p", "*.aside-*", rootDir, "f"))
	if err != nil || len(aside) != 1 {
		t.Fatalf("put aside are %q, %v", aside, err)
	}
	if kept, err := os.ReadFile(aside[0]); err != nil || string(kept) != "never stored" {
		t.Errorf("what was put aside holds %q, %v", kept, err)
	}
}

// WS6: a process that lost its sandbox without knowing stores nothing over what the next
// one does.
func TestProcessThatLostItsSandboxStoresNothing(t *testing.T) {
	t.Parallel()
	store, leases := openStore(t), newTable()
	a, b := newMachine(t, store, process{leases, "a"}, 0), newMachine(t, store, process{leases, "b"}, 0)
	a.write("f", "late")
	frozen := a.held()[0]
	leases.give("b")
	b.write("f", "newer")
	if err := frozen.persist(t.Context()); !errors.Is(err, remote.ErrReplaced) {
		t.Errorf("storing late is %v", err)
	}
	b.after(time.Hour)
	a.after(time.Hour)
	if got := a.read("f"); got != "newer" {
		t.Errorf("the first machine reads %q", got)
	}
}

// WS6: what a process leaves that is killed at any moment between the beginning of a
// snapshot and the release is the old state or the new one.
func TestSandboxOfAKilledProcessIsOldOrNew(t *testing.T) {
	t.Parallel()
	killed := errors.New("killed")
	for name, die := range map[string]func(t *testing.T, sb *sandbox){
		"before the snapshot": func(*testing.T, *sandbox) {},
		"half of the snapshot is written": func(t *testing.T, sb *sandbox) {
			err := sb.states.Add(t.Context(), sb.local.Copy, 2, func(out io.Writer) error {
				_, err := out.Write(make([]byte, 1<<20))
				return errors.Join(err, killed)
			})
			if !errors.Is(err, killed) {
				t.Fatal(err)
			}
		},
		"the snapshot is stored and nothing noted": func(t *testing.T, sb *sandbox) {
			if err := sb.snapshot(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		"a restore was half done": func(t *testing.T, sb *sandbox) {
			if err := sb.snapshot(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(sb.dir, sb.dir+".new"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, leases := openStore(t), newTable()
			a := newMachine(t, store, process{leases, "a"}, 0)
			a.write("f", "old")
			a.after(time.Hour)
			a.write("f", "new")
			die(t, a.held()[0])
			clear(a.Sandboxes.open) // it does nothing any more
			leases.give("next")
			next := newMachine(t, store, process{leases, "next"}, 0)
			// The next process is on the same machine.
			next.Dir, next.dir = a.Dir, a.dir
			if got := next.read("f"); got != "new" {
				t.Errorf("on this machine the file holds %q", got)
			}
			next.after(time.Hour)
			other := newMachine(t, store, process{leases, "other"}, 0)
			if got := other.read("f"); got != "new" {
				t.Errorf("on another machine the file holds %q", got)
			}
		})
	}
}

// WS2: a project in a directory of the user's cannot be in a sandbox, and is told why.
func TestProjectInPlaceIsRefused(t *testing.T) {
	t.Parallel()
	m := newMachine(t, openStore(t), process{newTable(), "a"}, 0)
	_, err := m.Open(t.Context(), one, workspace.Opening{InPlace: true})
	if !workspace.IsCode(err, workspace.CodeUnavailable) || !strings.Contains(err.Error(), "workspace.projects") {
		t.Errorf("it is %v", err)
	}
}
