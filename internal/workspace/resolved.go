package workspace

import (
	"context"
	"path/filepath"
)

// RealPath is where a caller's path leads within the project, links followed as far
// as something is there; "." is the project itself. A path that the files would
// refuse is their error. Files without links know no other path than the caller's.
func RealPath(ctx context.Context, files Filesystem, name string) (string, error) {
	local, ok := files.(*Local)
	if !ok {
		if inner, wrapped := files.(interface{ Unwrap() Filesystem }); wrapped {
			return RealPath(ctx, inner.Unwrap(), name)
		}
		return cleanPath(name)
	}
	found, err := local.resolve(ctx, name, how{follow: true, absent: true})
	if err != nil {
		return "", err
	}
	defer found.close()
	if leavesRoot(found.path) {
		return "", Errorf(CodeAccessDenied, name, "a symbolic link on the way leads out of the project")
	}
	return found.path, nil
}

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
