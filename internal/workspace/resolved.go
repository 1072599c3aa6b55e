package workspace

import (
	"context"
	"path/filepath"
)

// RealPath is where a caller's path leads within the project, links followed as far
// as something is there; "." is the project itself. A path that the files would
// refuse is their error. Files without links know no other path than the caller's.
func RealPath(ctx context.Context, files Filesystem, name string) (string, error) {
	local, ok := HolderOf(ctx, files, name).(*Local)
	if !ok {
		return CleanPath(name)
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
	local, ok := HolderOf(ctx, files, path).(*Local)
	if !ok {
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

// holder is the file system that holds a path, without what is wrapped around it.
func HolderOf(ctx context.Context, files Filesystem, path string) Filesystem {
	for {
		switch outer := files.(type) {
		case interface{ Unwrap() Filesystem }:
			files = outer.Unwrap()
		case interface {
			Holder(ctx context.Context, path string) Filesystem
		}:
			files = outer.Holder(ctx, path)
		case interface{ local() *Local }:
			return outer.local()
		default:
			return files
		}
	}
}
