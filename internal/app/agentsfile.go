package app

import (
	"context"
	"errors"

	"nanoclaw/internal/workspace"
)

// agentsFile is what a project says to every agent in it.
const (
	agentsFile      = "AGENTS.md"
	agentsFileLimit = 32 << 10 // bytes
)

// projectContext is the text of a project's AGENTS.md, or "".
func (a *App) projectContext(ctx context.Context, projectID string) (string, error) {
	files, err := a.Projects.Open(ctx, projectID)
	if err != nil {
		return "", err
	}
	content, err := files.Read(ctx, agentsFile, 0, agentsFileLimit)
	var failed *workspace.Error
	if errors.As(err, &failed) && failed.Code == workspace.CodeNotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return string(content.Data), nil
}
