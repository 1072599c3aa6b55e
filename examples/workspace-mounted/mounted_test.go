package mounted

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/workspacetest"
)

// WS8: a file system of a program's own passes the conformance suite.
func TestMountedIsAFilesystem(t *testing.T) {
	t.Parallel()
	workspacetest.Run(t, func(t *testing.T, limits workspace.Limits) workspace.Filesystem {
		return New(t.TempDir(), func() workspace.Limits { return limits }, slog.New(slog.DiscardHandler))
	})
}

// WS8: config.yml chooses the mode by its name, and a name that nobody registered is
// refused with those that there are.
func TestAConfigurationChoosesTheMode(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(volume, filepath.Join(dir, "volume"))
	var log bytes.Buffer
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	c := config.Default()
	c.WorkspaceRoot, c.DataDir = filepath.Join(dir, "projects"), filepath.Join(dir, "data")
	c.Workspace.Mode, c.Workspace.Projects = "custom:mounted", map[string]string{"other": "custom:nobodys"}
	projects, err := workspace.NewProjects(workspace.SettingsFrom(c),
		func(context.Context, string) (workspace.Location, error) { return workspace.Location{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	files, err := projects.Open(t.Context(), "p1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Write(t.Context(), "f", []byte("x"), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := workspace.NewLocal(filepath.Join(dir, "volume", "p1"), nil).Read(t.Context(), "f", 0, 0)
	if err != nil || string(got.Data) != "x" || !strings.Contains(log.String(), "what=write path=f") {
		t.Errorf("the volume has %q, %v; the log %s", got.Data, err, log.String())
	}
	if !slices.Contains(workspace.CustomModes(), "custom:mounted") {
		t.Errorf("the modes are %q", workspace.CustomModes())
	}
	if _, err := projects.Open(t.Context(), "other"); !workspace.IsCode(err, workspace.CodeUnavailable) ||
		!strings.Contains(err.Error(), "custom:mounted") {
		t.Errorf("an unknown mode is %v", err)
	}
}
