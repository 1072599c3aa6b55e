package remote_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// replicas opens two stores on one JetStream, as two replicas of the server do.
func replicas(t *testing.T, grace time.Duration) (a, b *remote.Store, js jetstream.JetStream) {
	t.Helper()
	url := natsServer(t)
	for _, store := range []**remote.Store{&a, &b} {
		var err error
		if *store, err = remote.Open(t.Context(), remote.Options{Remote: servers(url), Grace: grace}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup((*store).Close)
	}
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if js, err = jetstream.New(conn); err != nil {
		t.Fatal(err)
	}
	return a, b, js
}

func write(t testing.TB, files workspace.Filesystem, path, content string) {
	t.Helper()
	if _, err := files.Write(t.Context(), path, []byte(content), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, files workspace.Filesystem, path string) string {
	t.Helper()
	got, err := files.Read(t.Context(), path, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return string(got.Data)
}

// WS4: a replica reads at once what another one wrote, also after the journal was
// replaced by a snapshot.
func TestAReplicaFollowsAnother(t *testing.T) {
	t.Parallel()
	a, b, js := replicas(t, time.Hour)
	one, two := a.Files(shared, nil), b.Files(shared, nil)
	write(t, one, "first", "1")
	if got := read(t, two, "first"); got != "1" {
		t.Fatalf("the other replica reads %q", got)
	}
	const many = 700
	for i := range many {
		write(t, one, fmt.Sprintf("d%d/f", i%7), fmt.Sprint(i))
	}
	stream, err := js.Stream(t.Context(), "NANOCLAW_FILES")
	if err != nil {
		t.Fatal(err)
	}
	if n := stream.CachedInfo().State.Msgs; n > 300 {
		t.Errorf("the journal still has %d messages", n)
	}
	if got := read(t, two, "d6/f"); got != "699" {
		t.Fatalf("the other replica reads %q", got)
	}
	fresh, err := remote.Open(t.Context(), remote.Options{Remote: servers(js.Conn().ConnectedUrl())})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	listing, err := fresh.Files(shared, nil).List(t.Context(), "", workspace.ListOptions{Recursive: true})
	if err != nil || len(listing.Entries) != 15 {
		t.Fatalf("a new replica lists %d entries, %v", len(listing.Entries), err)
	}
}

// WS4: what is replaced, deleted or half uploaded is removed; what a file has is not.
func TestGarbageIsCollected(t *testing.T) {
	t.Parallel()
	a, b, js := replicas(t, time.Nanosecond)
	files := a.Files(shared, nil)
	large := strings.Repeat("large ", 100_000)
	write(t, files, "kept", "small")
	write(t, files, "kept-large", large)
	write(t, files, "replaced", "old")
	write(t, files, "replaced", "new")
	write(t, files, "deleted", large+"x")
	if err := files.Delete(t.Context(), "deleted", workspace.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	// An upload whose process died: pieces of an object that nothing describes.
	if _, err := js.Publish(t.Context(), "$O.nanoclaw_objects.C.interrupted", []byte("half")); err != nil {
		t.Fatal(err)
	}
	removed, err := b.Collect(t.Context())
	if err != nil || removed != 3 {
		t.Fatalf("%d contents were removed, %v", removed, err)
	}
	if removed, err := b.Collect(t.Context()); err != nil || removed != 0 {
		t.Fatalf("%d more were removed, %v", removed, err)
	}
	for path, want := range map[string]string{"kept": "small", "kept-large": large, "replaced": "new"} {
		if read(t, files, path) != want {
			t.Errorf("%s was damaged", path)
		}
	}
}

// WS4: a large upload that fails leaves no pieces.
func TestAFailedUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	a, b, _ := replicas(t, time.Nanosecond)
	broken := errors.New("the connection was lost")
	stream := io.MultiReader(bytes.NewReader(make([]byte, 2<<20)), iotest.ErrReader(broken))
	_, err := a.Files(shared, nil).Upload(t.Context(), "f", stream, workspace.WriteOptions{})
	if err != broken {
		t.Fatalf("the upload ended with %v", err)
	}
	if removed, err := b.Collect(t.Context()); err != nil || removed != 0 {
		t.Fatalf("%d pieces were left, %v", removed, err)
	}
}

// WS5: namespaces hold nothing of each other, and a project is removed with all of its own.
func TestNamespacesAreApart(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	mine := store.Files(remote.Namespace{Project: "p", Scope: "user/a"}, nil)
	others := store.Files(remote.Namespace{Project: "p", Scope: "user/b"}, nil)
	elsewhere := store.Files(remote.Namespace{Project: "p2", Scope: "user/a"}, nil)
	write(t, mine, "f", "mine")
	write(t, elsewhere, "f", "elsewhere")
	for _, path := range []string{"f", "a/f", "user/a/f", "*/f", ">"} {
		if there, err := others.Exists(t.Context(), path); err != nil || there {
			t.Errorf("%q is there for another user: %v", path, err)
		}
	}
	if err := store.RemoveProject(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	if there, err := store.Files(remote.Namespace{Project: "p", Scope: "user/a"}, nil).Exists(t.Context(),
		"f"); err != nil || there {
		t.Errorf("the file of a removed project is there: %v", err)
	}
	if got := read(t, elsewhere, "f"); got != "elsewhere" {
		t.Errorf("another project reads %q", got)
	}
	write(t, mine, "f", "again")
}

// WS4: a store that is away is a clear error.
func TestAStoreThatIsAwayIsSaidSo(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	files := store.Files(shared, nil)
	write(t, files, "f", "x")
	store.Close()
	_, err := files.Read(t.Context(), "f", 0, 0)
	if !workspace.IsCode(err, workspace.CodeUnavailable) {
		t.Fatalf("reading fails with %v", err)
	}
	_, err = files.Write(t.Context(), "f", []byte("y"), workspace.WriteOptions{})
	if !workspace.IsCode(err, workspace.CodeUnavailable) {
		t.Fatalf("writing fails with %v", err)
	}
}
