package sandboxed

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"nanoclaw/internal/workspace/remote"
)

// WS6: removing a sandbox ends what runs in it and deletes its directories and snapshots;
// where another process has it, nothing is deleted until that one removes it.
func TestRemovedSandboxLeavesNothing(t *testing.T) {
	t.Parallel()
	store, leases := openStore(t), newTable()
	a := newMachine(t, store, process{leases, "a"}, 0)
	b := newMachine(t, store, process{leases, "b"}, 0)
	remove := func(m *machine) error {
		return m.Remove(t.Context(), one, func(ctx context.Context) error { return store.Remove(ctx, one) })
	}
	stored := func() int {
		t.Helper()
		states, err := store.States(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		return len(states.List)
	}
	a.write("f", "1")
	a.after(time.Hour) // stored and released
	if err := os.Mkdir(a.sandboxDir()+".aside-20260101T000000.000Z", 0o700); err != nil {
		t.Fatal(err)
	}
	_, end, err := b.open(one)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	for m, want := range map[*machine]string{a: Elsewhere, b: Running} {
		if got, err := m.State(t.Context(), one); err != nil || got != want {
			t.Errorf("the state is %s, %v; want %s", got, err, want)
		}
	}
	if err := remove(a); !errors.Is(err, ErrElsewhere) || stored() != 1 {
		t.Errorf("removing what another process has is %v; %d snapshots", err, stored())
	}
	if here, err := a.Here([]string{one.Scope, "session/another"}); err != nil || len(here) != 2 || here[0] != one {
		t.Errorf("on this machine there is %v, %v", here, err) // the directory, and that put aside
	}
	if err := remove(b); err != nil || stored() != 0 || len(b.ended) != 1 {
		t.Errorf("removing what is in use is %v; %d snapshots, ended %q", err, stored(), b.ended)
	}
	if err := remove(a); err != nil {
		t.Error(err)
	}
	for _, m := range []*machine{a, b} {
		if _, err := os.Stat(filepath.Join(m.dir, "sandboxes", "p")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a machine still has its directory: %v", err)
		}
	}
	if left, err := store.Namespaces(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("the store has %v, %v", left, err)
	}
	if got, err := a.State(t.Context(), one); err != nil || got != Stopped {
		t.Errorf("at the end the state is %s, %v", got, err)
	}
	if got := b.read("f"); got != "missing" { // made anew
		t.Errorf("a new sandbox holds %q", got)
	}
}

// WS6: a name that leads out of the directory of sandboxes removes nothing.
func TestRemovingChecksTheProject(t *testing.T) {
	t.Parallel()
	m := newMachine(t, openStore(t), process{newTable(), "a"}, 0)
	for _, project := range []string{"", ".", "..", "../p", "a/b"} {
		err := m.Remove(t.Context(), remote.Namespace{Project: project}, func(context.Context) error { return nil })
		if err == nil || m.HasProject(project) {
			t.Errorf("the project %q is accepted", project)
		}
	}
}
