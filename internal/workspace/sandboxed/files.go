package sandboxed

import (
	"context"

	"nanoclaw/internal/workspace"
)

// Files are the files of a sandbox.
type Files struct {
	*workspace.Local
	id      string
	home    string
	execute Execute
}

// Execute runs a command in the sandbox whose files are given.
type Execute func(ctx context.Context, files *Files, command workspace.Command) (workspace.Execution, error)

var _ workspace.SandboxFilesystem = (*Files)(nil)

// ID implements workspace.SandboxFilesystem.
func (f *Files) ID() string { return f.id }

// Home is the directory of this machine that is HOME of its commands.
func (f *Files) Home() string { return f.home }

// Execute implements workspace.SandboxFilesystem.
func (f *Files) Execute(ctx context.Context, command workspace.Command) (workspace.Execution, error) {
	return f.execute(ctx, f, command)
}
