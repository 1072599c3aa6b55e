package app

import (
	"context"
	"errors"

	"nanoclaw/internal/api"
	"nanoclaw/internal/config"
	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// workspaceStatus is how the files of access.ProjectID are kept. Nothing is opened for it.
func (a *App) workspaceStatus(ctx context.Context, access workspace.Access) (*api.WorkspaceStatus, error) {
	c := a.Live.Current()
	status := &api.WorkspaceStatus{Mode: c.WorkspaceMode(access.ProjectID, access.AgentID),
		WhyNot: a.toolOff(workspace.WithAccess(ctx, access), "shell_execute")}
	status.Executes = status.WhyNot == ""
	if status.Mode == config.RemoteMode || status.Mode == config.SandboxMode {
		status.IsolationScope = c.Workspace.IsolationScope
	}
	if status.Mode != config.SandboxMode {
		return status, nil
	}
	var err error
	status.Sandbox, err = a.files.sandboxStatus(ctx, remote.Namespace{Project: access.ProjectID,
		Scope: scopeOf(c, access)})
	return status, err
}

// sandboxStatus is what is known of a sandbox. A store that is away is a part of that.
func (w *workspaces) sandboxStatus(ctx context.Context, ns remote.Namespace) (*api.SandboxStatus, error) {
	state, err := w.sandboxes.State(ctx, ns)
	if err != nil {
		return nil, err
	}
	status := &api.SandboxStatus{State: state, Snapshots: []api.SandboxSnapshot{}}
	files, err := w.usedStore(ctx)
	if files == nil && err == nil {
		return status, nil
	}
	var states *remote.States
	if err == nil {
		states, err = files.States(ctx, ns)
	}
	var away *workspace.Error
	if errors.As(err, &away) {
		status.Problem = away.Message
		return status, nil
	}
	if err != nil {
		return nil, err
	}
	for _, one := range states.List {
		status.Snapshots = append(status.Snapshots, snapshotOf(one))
	}
	if newest := states.Newest(); newest != nil {
		good := snapshotOf(*newest)
		status.LastGood = &good
	}
	return status, nil
}

func snapshotOf(s remote.State) api.SandboxSnapshot {
	return api.SandboxSnapshot{CreatedAt: s.Created, Size: s.Size, SHA256: s.SHA256, Damaged: s.Damaged}
}
