package sandboxed

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"nanoclaw/internal/workspace/remote"
)

// WS6: a damaged snapshot is refused and named with its checksum, and the last good one
// is used; where no good one is left the error says so and nothing is made.
func TestDamagedSnapshotIsRefused(t *testing.T) {
	t.Parallel()
	url := startNATS(t)
	open := func() *remote.Store {
		store, err := remote.Open(t.Context(), connectTo(url))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Close)
		return store
	}
	leases := newTable()
	a, store := newMachine(t, open(), process{leases, "a"}, 0), open()
	for _, content := range []string{"1", "2"} {
		a.write("f", content)
		a.after(time.Hour)
	}
	states, err := store.States(t.Context(), one)
	if err != nil || len(states.List) != 2 {
		t.Fatalf("the snapshots are %v, %v", states, err)
	}
	newest, older := states.List[0], states.List[1]
	damage(t, url, newest.ID)
	err = states.Read(t.Context(), newest, func(io.Reader) error { return nil })
	if err == nil || !strings.Contains(err.Error(), newest.SHA256) {
		t.Errorf("reading it is %v", err)
	}
	b := newMachine(t, store, process{leases, "b"}, 0)
	if got := b.read("f"); got != "1" {
		t.Errorf("after the damage the file holds %q", got)
	}
	b.write("f", "3")
	b.after(time.Hour)
	if states, err = store.States(t.Context(), one); err != nil || len(states.List) != 3 || !states.List[1].Damaged {
		t.Errorf("the snapshots are %+v, %v", states.List, err)
	}
	damage(t, url, states.List[0].ID)
	damage(t, url, older.ID)
	c := newMachine(t, open(), process{leases, "c"}, 0)
	if _, _, err := c.open(one); err == nil || !strings.Contains(err.Error(), "every snapshot") ||
		!strings.Contains(err.Error(), states.List[0].SHA256) {
		t.Errorf("without a good snapshot it is %v", err)
	}
	if made, err := os.ReadDir(filepath.Join(c.dir, "sandboxes", "p")); err != nil || len(made) != 0 {
		t.Errorf("made was %v, %v", made, err)
	}
}

// startNATS starts a server that several stores use.
func startNATS(t *testing.T) (url string) {
	t.Helper()
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(),
		NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(30 * time.Second) {
		t.Fatal("NATS does not start")
	}
	return srv.ClientURL()
}

// damage changes a small content in the store.
func damage(t *testing.T, url, id string) {
	t.Helper()
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := js.KeyValue(t.Context(), "nanoclaw_contents")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bucket.Put(t.Context(), id, []byte("damaged")); err != nil {
		t.Fatal(err)
	}
}
