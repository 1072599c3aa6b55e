package app

import (
	"log/slog"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/runs/eventlog/natstest"
	"nanoclaw/internal/workspace"
)

// GR2, GR3: with nats.url the shared files of mode remote are on those servers: another
// server has them, and an installation with another prefix has not.
func TestSharedFilesAreOnTheServersOfNATSURL(t *testing.T) {
	t.Parallel()
	nats, err := natstest.Start(t.TempDir(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nats.Stop)
	open := func(prefix string) workspace.Filesystem {
		c := config.Default()
		c.DataDir = t.TempDir()
		c.Workspace.Mode, c.NATS.URL, c.NATS.Prefix = config.RemoteMode, nats.URLs()[0], prefix
		w := newWorkspaces(&App{Live: config.Fixed(c), Logger: slog.New(slog.DiscardHandler)})
		t.Cleanup(w.close)
		files, err := w.openRemote(t.Context(), workspace.Opening{ProjectID: "p",
			Local:  workspace.NewLocal(t.TempDir(), nil),
			Limits: func() workspace.Limits { return workspace.Limits{} }})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	first, second, other := open("one"), open("one"), open("two")
	if _, err := first.Write(t.Context(), "MEMORY.md", []byte("blue"), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, err := second.Read(t.Context(), "MEMORY.md", 0, 0); err != nil || string(got.Data) != "blue" {
		t.Errorf("another server reads %q, %v", got.Data, err)
	}
	if there, err := other.Exists(t.Context(), "MEMORY.md"); err != nil || there {
		t.Errorf("another installation sees the file: %v, %v", there, err)
	}
}
