package sandboxed

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// table is leases in memory, which several processes share.
type table struct {
	mu     sync.Mutex
	owners map[string]string
	wanted map[string]bool
	asked  chan struct{} // gets a value when somebody waits
}

func newTable() *table {
	return &table{owners: map[string]string{}, wanted: map[string]bool{}, asked: make(chan struct{}, 100)}
}

// process is one process's view of the table.
type process struct {
	*table
	name string
}

func (p process) Take(_ context.Context, name string) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if owner := p.owners[name]; owner != "" && owner != p.name {
		return false, nil
	}
	p.owners[name] = p.name
	return true, nil
}

func (p process) Drop(_ context.Context, name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.owners[name] == p.name {
		delete(p.owners, name)
	}
	return nil
}

func (p process) Want(_ context.Context, name string) error {
	p.mu.Lock()
	p.wanted[name] = true
	p.mu.Unlock()
	p.asked <- struct{}{}
	return nil
}

func (p process) Wanted(_ context.Context, name string) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.wanted[name], nil
}

func (p process) Held(_ context.Context, name string) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.owners[name] != "", nil
}

// give makes another process the holder of every lease.
func (t *table) give(to string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name := range t.owners {
		t.owners[name] = to
	}
}

func openStore(t testing.TB) *remote.Store {
	t.Helper()
	store, err := remote.Open(t.Context(), remote.Options{Dir: t.TempDir(), Grace: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

// machine is a server with a disk of its own.
type machine struct {
	*Sandboxes
	t     testing.TB
	dir   string
	mu    sync.Mutex
	ended []string
}

func newMachine(t testing.TB, store *remote.Store, leases Leases, wait time.Duration) *machine {
	t.Helper()
	m := &machine{t: t, dir: t.TempDir()}
	m.Sandboxes = New(Options{Dir: filepath.Join(m.dir, "sandboxes"), TTL: time.Hour, Leases: leases,
		Store: func(context.Context) (*remote.Store, error) { return store, nil },
		Settings: func() Settings {
			return Settings{IdleTimeout: time.Minute, Wait: wait, Snapshots: 2,
				Trash: time.Nanosecond}
		},
		End: func(_ context.Context, dir string) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.ended = append(m.ended, dir)
			return nil
		},
	})
	t.Cleanup(func() { m.Close(context.Background()) })
	return m
}

var one = remote.Namespace{Project: "p", Scope: "session/c1"}

// open uses a sandbox until the function that it returns is called.
func (m *machine) open(ns remote.Namespace) (*Files, func(), error) {
	m.t.Helper()
	project := filepath.Join(m.dir, "project")
	if err := os.MkdirAll(project, 0o700); err != nil {
		m.t.Fatal(err)
	}
	ctx, end := context.WithCancel(m.t.Context())
	files, err := m.Open(ctx, ns, workspace.Opening{ProjectID: ns.Project, Local: workspace.NewLocal(project, nil)})
	return files, end, err
}

func (m *machine) write(name, content string) {
	m.t.Helper()
	files, end, err := m.open(one)
	if err != nil {
		m.t.Fatal(err)
	}
	defer end()
	if _, err := files.Write(m.t.Context(), name, []byte(content), workspace.WriteOptions{}); err != nil {
		m.t.Fatal(err)
	}
}

// read is what a file holds; "missing" where it is not there.
func (m *machine) read(name string) string {
	m.t.Helper()
	files, end, err := m.open(one)
	if err != nil {
		m.t.Fatal(err)
	}
	defer end()
	content, err := files.Read(m.t.Context(), name, 0, 0)
	if workspace.IsCode(err, workspace.CodeNotFound) {
		return "missing"
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return string(content.Data)
}

// after lets a time pass in which nobody uses anything, and waits for what is done then.
func (m *machine) after(pause time.Duration) {
	for _, sb := range m.held() {
		for busy := true; busy; { // an ended context is noticed by a goroutine
			sb.mu.Lock()
			busy = len(sb.users) > 0
			sb.mu.Unlock()
		}
		sb.tend(m.t.Context(), time.Now().Add(pause))
	}
}

func (m *machine) sandboxDir() string {
	found, err := filepath.Glob(filepath.Join(m.dir, "sandboxes", "p", "????????????????????????????????"))
	if err != nil || len(found) != 1 {
		m.t.Fatalf("there are the directories %q, %v", found, err)
	}
	return found[0]
}
