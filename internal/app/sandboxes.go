package app

import (
	"context"
	"fmt"
	"path/filepath"

	"nanoclaw/internal/config"
	"nanoclaw/internal/store"
	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
	"nanoclaw/internal/workspace/sandboxed"
)

// newSandboxes are the sandboxes of mode sandbox.
func (a *App) newSandboxes(c *config.Config, w *workspaces) *sandboxed.Sandboxes {
	return sandboxed.New(sandboxed.Options{
		Dir: filepath.Join(c.DataDir, "sandboxes"), Store: w.remoteStore, Logger: a.Logger,
		Leases: sandboxLeases{a.Store, a.owner}, TTL: store.LeaseTTL,
		Settings: func() sandboxed.Settings {
			c := a.Live.Current().Workspace
			return sandboxed.Settings{IdleTimeout: c.SandboxIdle.Std(), Wait: c.SandboxWait.Std(),
				Snapshots: c.SandboxKeep, Trash: c.TrashRetention.Std()}
		},
		Execute: func(ctx context.Context, files *sandboxed.Files,
			command workspace.Command) (workspace.Execution, error) {
			return a.programs.Execute(ctx, files, command)
		},
		End: func(ctx context.Context, dir string) error { return a.programs.EndIn(ctx, dir) },
	})
}

// openSandbox is the mode sandbox.
func (w *workspaces) openSandbox(ctx context.Context, o workspace.Opening) (workspace.Filesystem, error) {
	ns := remote.Namespace{Project: o.ProjectID, Scope: scopeOf(w.live.Current(), o.Access)}
	files, err := w.sandboxes.Open(ctx, ns, o)
	if err != nil {
		return nil, fmt.Errorf("open the sandbox of the project: %w", err)
	}
	return files, nil
}

// sandboxLeases are leases in the database. Where no other process can work on it, there
// is nobody to keep away.
type sandboxLeases struct {
	store *store.Store
	owner string
}

// wanted ends the name of the lease of who waits for another one.
const wanted = " wanted"

func (l sandboxLeases) Take(ctx context.Context, name string) (bool, error) {
	if !l.store.Shared() {
		return true, nil
	}
	return l.store.TakeLease(ctx, name, l.owner, store.LeaseTTL)
}

func (l sandboxLeases) Drop(ctx context.Context, name string) error {
	if !l.store.Shared() {
		return nil
	}
	return l.store.DropLease(ctx, name, l.owner)
}

func (l sandboxLeases) Want(ctx context.Context, name string) error {
	if !l.store.Shared() {
		return nil
	}
	_, err := l.store.TakeLease(ctx, name+wanted, l.owner, store.LeaseTTL)
	return err
}

func (l sandboxLeases) Held(ctx context.Context, name string) (bool, error) {
	if !l.store.Shared() {
		return false, nil
	}
	return l.store.LeaseHeld(ctx, name)
}

func (l sandboxLeases) Wanted(ctx context.Context, name string) (bool, error) {
	if !l.store.Shared() {
		return false, nil
	}
	return l.store.LeaseHeld(ctx, name+wanted)
}
