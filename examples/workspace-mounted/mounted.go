// Package mounted is an example of a workspace mode of your own: the files of projects
// are on a volume that something else mounts, and every change is written to a log.
//
// A program gets the mode by importing the package, blank; config.yml chooses it with
// workspace.mode: custom:mounted, for all projects, for one (workspace.projects) or for
// an agent profile (agents[].workspace). docs/workspaces.md says what a mode promises.
package mounted

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"nanoclaw/internal/workspace"
)

// volume is the environment variable with the directory of the volume.
const volume = "NANOCLAW_VOLUME"

func init() { workspace.RegisterMode("mounted", open) }

// open returns the files of one project. It is called for every operation, so it does
// nothing that is costly. The server checked the project's id: it is a directory's name.
func open(_ context.Context, o workspace.Opening) (workspace.Filesystem, error) {
	root := os.Getenv(volume)
	if root == "" {
		return nil, workspace.Errorf(workspace.CodeUnavailable, "", "set %s to the directory of the volume", volume)
	}
	dir := filepath.Join(root, o.ProjectID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, workspace.Errorf(workspace.CodeUnavailable, "", "the volume cannot be written")
	}
	return New(dir, o.Limits, slog.With("project", o.ProjectID, "user", o.Access.UserID)), nil
}

// Files are the files of one project on the volume. What it does not change itself it
// has from the local file system.
type Files struct {
	workspace.Filesystem
	log *slog.Logger
}

var _ workspace.Filesystem = (*Files)(nil)

// New returns the files in a directory.
func New(dir string, limits func() workspace.Limits, log *slog.Logger) *Files {
	return &Files{Filesystem: workspace.NewLocal(dir, limits), log: log}
}

// Write implements workspace.Filesystem.
func (f *Files) Write(ctx context.Context, path string, data []byte,
	opts workspace.WriteOptions) (workspace.Written, error) {
	written, err := f.Filesystem.Write(ctx, path, data, opts)
	return written, f.changed("write", path, err)
}

// Upload implements workspace.Filesystem.
func (f *Files) Upload(ctx context.Context, path string, r io.Reader,
	opts workspace.WriteOptions) (workspace.Written, error) {
	written, err := f.Filesystem.Upload(ctx, path, r, opts)
	return written, f.changed("upload", path, err)
}

// Append implements workspace.Filesystem.
func (f *Files) Append(ctx context.Context, path string, data []byte) (workspace.Written, error) {
	written, err := f.Filesystem.Append(ctx, path, data)
	return written, f.changed("append", path, err)
}

// Edit implements workspace.Filesystem.
func (f *Files) Edit(ctx context.Context, path string, create bool,
	change func(old []byte) ([]byte, error)) (workspace.Written, error) {
	written, err := f.Filesystem.Edit(ctx, path, create, change)
	return written, f.changed("edit", path, err)
}

// Mkdir implements workspace.Filesystem.
func (f *Files) Mkdir(ctx context.Context, path string) (bool, error) {
	created, err := f.Filesystem.Mkdir(ctx, path)
	return created, f.changed("mkdir", path, err)
}

// Delete implements workspace.Filesystem.
func (f *Files) Delete(ctx context.Context, path string, opts workspace.DeleteOptions) error {
	return f.changed("delete", path, f.Filesystem.Delete(ctx, path, opts))
}

// Move implements workspace.Filesystem.
func (f *Files) Move(ctx context.Context, from, to string) error {
	return f.changed("move", from, f.Filesystem.Move(ctx, from, to))
}

// changed logs a change that was made.
func (f *Files) changed(what, path string, err error) error {
	if err == nil {
		f.log.Info("a file was changed", "what", what, "path", path)
	}
	return err
}
