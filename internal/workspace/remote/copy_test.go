package remote_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// CH14, WS4: a copy of the directory of a server that is being written to is whole: its
// files can be read, and written to.
func TestCopyOfWorkingStoreIsWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := remote.Open(t.Context(), remote.Options{Dir: dir, Grace: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	files := store.Files(shared, nil)
	large := strings.Repeat("large ", 100_000)
	write(t, files, "large", large)
	for i := range 300 { // more than a journal holds before its snapshot
		write(t, files, fmt.Sprintf("d/%d", i), fmt.Sprint(i))
	}
	writing, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; writing.Err() == nil; i++ {
			if _, err := files.Write(writing, "busy", fmt.Append(nil, i), workspace.WriteOptions{}); err != nil &&
				writing.Err() == nil {
				t.Error(err)
			}
		}
	}()
	to := filepath.Join(t.TempDir(), "copy")
	err = remote.Copy(t.Context(), dir, to)
	stop()
	<-done
	if err != nil {
		t.Fatal(err)
	}
	again, err := remote.Open(t.Context(), remote.Options{Dir: to})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	copied := again.Files(shared, nil)
	if got := read(t, copied, "large"); got != large {
		t.Errorf("the large file holds %d bytes", len(got))
	}
	if got := read(t, copied, "d/299"); got != "299" {
		t.Errorf("a file holds %q", got)
	}
	write(t, copied, "new", "x")
}

// CH14: a copy in which something is missing is not taken for whole.
func TestDamagedCopyIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"KV_nanoclaw_contents", "KV_nanoclaw_records", "OBJ_nanoclaw_objects",
		"NANOCLAW_FILES"} {
		dir := t.TempDir()
		store, err := remote.Open(t.Context(), remote.Options{Dir: dir, Grace: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		files := store.Files(shared, nil)
		write(t, files, "large", strings.Repeat("large ", 100_000))
		for i := range 300 {
			write(t, files, fmt.Sprintf("d/%d", i), fmt.Sprint(i))
		}
		store.Close()
		if err := remote.Check(t.Context(), dir); err != nil {
			t.Fatalf("the whole one: %v", err)
		}
		if err := os.RemoveAll(filepath.Join(dir, "jetstream", "$G", "streams", name)); err != nil {
			t.Fatal(err)
		}
		if err := remote.Check(t.Context(), dir); err == nil {
			t.Errorf("without %s it is taken for whole", name)
		}
	}
}
