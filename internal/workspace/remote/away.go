package remote

import (
	"context"
	"io"

	"nanoclaw/internal/workspace"
)

// Away are files whose store cannot be reached: every operation fails with the error.
type Away struct{ Err error }

var _ workspace.Filesystem = Away{}

// List implements workspace.Filesystem.
func (a Away) List(context.Context, string, workspace.ListOptions) (workspace.Listing, error) {
	return workspace.Listing{}, a.Err
}

// Stat implements workspace.Filesystem.
func (a Away) Stat(context.Context, string) (workspace.Entry, error) { return workspace.Entry{}, a.Err }

// Exists implements workspace.Filesystem.
func (a Away) Exists(context.Context, string) (bool, error) { return false, a.Err }

// Read implements workspace.Filesystem.
func (a Away) Read(context.Context, string, int64, int64) (workspace.Content, error) {
	return workspace.Content{}, a.Err
}

// Download implements workspace.Filesystem.
func (a Away) Download(context.Context, string) (io.ReadCloser, workspace.Entry, error) {
	return nil, workspace.Entry{}, a.Err
}

// Write implements workspace.Filesystem.
func (a Away) Write(context.Context, string, []byte, workspace.WriteOptions) (workspace.Written, error) {
	return workspace.Written{}, a.Err
}

// Upload implements workspace.Filesystem.
func (a Away) Upload(context.Context, string, io.Reader, workspace.WriteOptions) (workspace.Written, error) {
	return workspace.Written{}, a.Err
}

// Append implements workspace.Filesystem.
func (a Away) Append(context.Context, string, []byte) (workspace.Written, error) {
	return workspace.Written{}, a.Err
}

// Edit implements workspace.Filesystem.
func (a Away) Edit(context.Context, string, bool, func([]byte) ([]byte, error)) (workspace.Written, error) {
	return workspace.Written{}, a.Err
}

// Mkdir implements workspace.Filesystem.
func (a Away) Mkdir(context.Context, string) (bool, error) { return false, a.Err }

// Delete implements workspace.Filesystem.
func (a Away) Delete(context.Context, string, workspace.DeleteOptions) error { return a.Err }

// Move implements workspace.Filesystem.
func (a Away) Move(context.Context, string, string) error { return a.Err }

// Grep implements workspace.Filesystem.
func (a Away) Grep(context.Context, workspace.GrepOptions) (workspace.GrepResult, error) {
	return workspace.GrepResult{}, a.Err
}

// Glob implements workspace.Filesystem.
func (a Away) Glob(context.Context, string, workspace.GlobOptions) (workspace.Listing, error) {
	return workspace.Listing{}, a.Err
}

// Stamp implements workspace.Filesystem.
func (a Away) Stamp(context.Context, string, bool) (string, error) { return "", a.Err }
