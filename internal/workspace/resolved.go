package workspace

import (
	"context"
	"path/filepath"
)

// ResolvedPath is where a caller's path leads on the host, links followed, for
// records of what was done: absolute, but for files that are not on this machine.
// Of a path that is refused it is what the text alone says. It may be asked before
// or after the thing was there.
func ResolvedPath(ctx context.Context, files Filesystem, path string) string {
	local, ok := files.(*Local)
	if !ok {
		if inner, wrapped := files.(interface{ Unwrap() Filesystem }); wrapped {
			return ResolvedPath(ctx, inner.Unwrap(), path)
		}
		return filepath.Clean(path)
	}
	found, err := local.resolve(ctx, path, how{follow: true})
	if err == nil {
		defer found.close()
		return filepath.Join(local.dir, found.path)
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(local.dir, path)
}
