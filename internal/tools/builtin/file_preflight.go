package builtin

import (
	"context"
	"path"
	"strings"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// preflight says of a path that a call needs why the call cannot succeed: it can
// never lead into the project, or there is nothing. The latter is said only where
// file_exists would say it unasked.
func (p fileProject) preflight(ctx context.Context, call tools.Call, name string) error {
	_, err := p.entry(ctx, call, name)
	return err
}

// entry is what a path names, links not followed; nil: nobody may know yet.
func (p fileProject) entry(ctx context.Context, call tools.Call, name string) (*workspace.Entry, error) {
	if call.ProjectID == "" {
		return nil, errNoProject
	}
	if err := workspace.CheckPath(name); err != nil {
		return nil, err
	}
	cleaned := path.Clean(name)
	if name == "" || cleaned == "." || cleaned == "/" || call.MayLook == nil || !call.MayLook(ctx, "file_exists",
		map[string]any{"path": name}) {
		return nil, nil
	}
	workspaces, err := services.Get(call.Services, workspace.Key)
	if err != nil {
		return nil, err
	}
	files, err := workspaces.Open(ctx, call.ProjectID)
	if err != nil {
		return nil, err
	}
	found, err := files.List(ctx, path.Dir(cleaned),
		workspace.ListOptions{Pattern: literalGlob.Replace(path.Base(cleaned)), Limit: 1})
	if hasFileCode(err, workspace.CodeNotFound) || hasFileCode(err, workspace.CodeNotADirectory) || err == nil &&
		len(found.Entries) == 0 {
		return nil, fileError(workspace.CodeNotFound, name, "there is no such file or directory")
	}
	if err != nil {
		return nil, err
	}
	return &found.Entries[0], nil
}

// literalGlob makes a name a glob that matches this name alone.
var literalGlob = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`)
