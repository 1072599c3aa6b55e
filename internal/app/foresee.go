package app

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"

	"nanoclaw/internal/models"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/undo"
	"nanoclaw/internal/workspace"
)

// foreseeable are the tools whose change of a file can be said before they run.
var foreseeable = []string{"file_write", "file_append", "file_edit"}

// foresee is what a call that waits for a person would change in files, as the file is
// now and with the secrets that placeholders stand for; nil: nobody can tell. The error
// is an *Error that says why the call would fail.
func (a *App) foresee(ctx context.Context, approval *models.Approval, limits undo.DiffLimits) (*undo.Change, error) {
	if approval.Live || approval.ProjectID == "" || !slices.Contains(foreseeable, approval.Tool) {
		return nil, nil
	}
	for _, agent := range a.Live.Current().Agents {
		if len(agent.Presets[approval.Tool]) > 0 {
			return nil, nil // its arguments may not be all
		}
	}
	_, stored, err := a.Store.Steps(ctx, approval.RunID)
	at := slices.IndexFunc(stored, func(call *models.ToolCall) bool { return call.ID == approval.CallID })
	if err != nil || at < 0 {
		return nil, err
	}
	args, _, err := tools.ParseArguments(stored[at].Arguments)
	if err != nil {
		return nil, err
	}
	run, err := a.Store.Run(ctx, approval.UserID, approval.RunID)
	if err != nil {
		return nil, err
	}
	ctx = runContext(ctx, run)
	files, err := a.Projects.Open(ctx, approval.ProjectID)
	if err != nil {
		return nil, err
	}
	dry := &dryFiles{Filesystem: files}
	located := &services.Locator{}
	services.Register[workspace.Opener](located, workspace.Key, dry)
	if placeholders, err := services.Get(a.locator, tools.PlaceholdersKey); err == nil {
		services.Register(located, tools.PlaceholdersKey, placeholders)
	}
	result := a.Registry.Execute(ctx, approval.Tool, tools.Call{
		ID: approval.CallID, RunID: approval.RunID, RootRunID: approval.RootRunID,
		ConversationID: approval.ConversationID, ProjectID: approval.ProjectID, UserID: approval.UserID,
		AgentPath: approval.AgentPath, Services: located,
	}, args)
	if !result.Success {
		return nil, tools.Errorf(result.Code, "%s", result.Error)
	}
	if !dry.written {
		return nil, nil
	}
	change := undo.ChangeOf(approval.ProjectID, dry.path, dry.before, dry.after, limits)
	return &change, nil
}

// dryFiles remember what would be written to a file instead of writing it. They are
// for one call of a foreseeable tool; all else that changes files is refused.
type dryFiles struct {
	workspace.Filesystem
	written       bool
	path          string
	before, after []byte
}

// Open implements workspace.Opener.
func (d *dryFiles) Open(context.Context, string) (workspace.Filesystem, error) { return d, nil }

// Edit implements workspace.Filesystem.
func (d *dryFiles) Edit(ctx context.Context, name string, create bool,
	change func([]byte) ([]byte, error)) (workspace.Written, error) {
	before, err := d.present(ctx, name)
	if err != nil {
		return workspace.Written{}, err
	}
	if before == nil && !create {
		return workspace.Written{}, workspace.Errorf(workspace.CodeNotFound, name, "there is no such file")
	}
	after, err := change(slices.Clone(before)) // it may write into what it gets
	if err != nil {
		return workspace.Written{}, err
	}
	d.written, d.path, d.before, d.after = true, path.Clean("/" + name)[1:], before, after
	return workspace.Written{Path: d.path, Created: before == nil, Size: int64(len(after))}, nil
}

// present is the content of a file; nil: there is none.
func (d *dryFiles) present(ctx context.Context, name string) ([]byte, error) {
	content, err := d.Read(ctx, name, 0, 0)
	var own *workspace.Error
	if errors.As(err, &own) && own.Code == workspace.CodeNotFound {
		return nil, nil
	}
	if content.Data == nil && err == nil {
		return []byte{}, nil
	}
	return content.Data, err
}

// Write implements workspace.Filesystem.
func (d *dryFiles) Write(ctx context.Context, name string, data []byte,
	_ workspace.WriteOptions) (workspace.Written, error) {
	return d.Edit(ctx, name, true, func([]byte) ([]byte, error) { return data, nil })
}

// Append implements workspace.Filesystem.
func (d *dryFiles) Append(ctx context.Context, name string, data []byte) (workspace.Written, error) {
	return d.Edit(ctx, name, true, func(before []byte) ([]byte, error) { return append(before, data...), nil })
}

var errDry = workspace.Errorf(workspace.CodeInternal, "", "this cannot be foreseen")

// Upload implements workspace.Filesystem.
func (d *dryFiles) Upload(context.Context, string, io.Reader, workspace.WriteOptions) (workspace.Written, error) {
	return workspace.Written{}, errDry
}

// Mkdir implements workspace.Filesystem.
func (d *dryFiles) Mkdir(context.Context, string) (bool, error) { return false, errDry }

// Delete implements workspace.Filesystem.
func (d *dryFiles) Delete(context.Context, string, workspace.DeleteOptions) error { return errDry }

// Move implements workspace.Filesystem.
func (d *dryFiles) Move(context.Context, string, string) error { return errDry }
