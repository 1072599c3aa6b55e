package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/store/pgtest"
)

// GR3: a server does not start on the database of another one without its event log, and
// does once that one has ended.
func TestServersOnOneDatabaseNeedOneEventLog(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	start := func() (*App, error) {
		dir := t.TempDir()
		text := fmt.Sprintf("data_dir: %s/data\nworkspace_root: %[1]s/workspaces\ndatabase: { url: %q }\n", dir, database)
		file := filepath.Join(dir, "config.yml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		redactor, logger, live, err := open(ServeOptions{Source: config.Source{Path: file},
			Log: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		a, err := New(t.Context(), live, redactor, logger, "test")
		if err != nil {
			return nil, err
		}
		return a, a.Start(t.Context())
	}
	first, err := start()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := start(); !errors.Is(err, errOtherEventLog) {
		t.Errorf("a second server with an event log of its own: %v", err)
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, err := start()
	if err != nil {
		t.Fatalf("after the first one: %v", err)
	}
	if err := second.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
