package app

import (
	"context"
	"path/filepath"

	"nanoclaw/internal/config"
	"nanoclaw/internal/models"
	"nanoclaw/internal/services"
	"nanoclaw/internal/undo"
	"nanoclaw/internal/workspace"
)

// newUndo is what notes the changes of runs. File tools find it through the
// locator; programs that work in a project are wrapped (package programs).
func (a *App) newUndo(l *services.Locator) *undo.Service {
	s := undo.New(undo.Options{
		Store: a.Store, Projects: a.Projects, Dir: filepath.Join(a.Live.Current().DataDir, "versions"),
		Limits: func() undo.Limits { return undoLimits(a.Live.Current()) }, Logger: a.Logger,
	})
	services.Register[workspace.Recorder](l, workspace.RecorderKey, s)
	return s
}

func undoLimits(c *config.Config) undo.Limits {
	w := c.Workspace
	return undo.Limits{
		RunBytes: w.VersionsMaxSize.Bytes(), FileBytes: w.VersionsMaxFile.Bytes(),
		CommandFiles: w.CommandFiles, CommandBytes: w.CommandVersions.Bytes(),
	}
}

// forgetChanges is the retention of what runs changed: as long as their steps.
func (a *App) forgetChanges(ctx context.Context, olderThan models.Time) (int64, error) {
	return a.Undo.Sweep(ctx, olderThan)
}
