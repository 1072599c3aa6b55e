package composite

import (
	"bytes"
	"context"
	"io"
	"path"
	"strings"

	"nanoclaw/internal/workspace"
)

// Write implements workspace.Filesystem.
func (f *Files) Write(ctx context.Context, name string, data []byte,
	opts workspace.WriteOptions) (workspace.Written, error) {
	if limits := f.limits(); limits.TooLarge(int64(len(data))) {
		return workspace.Written{}, limits.TooLargeError(name)
	}
	return f.Upload(ctx, name, bytes.NewReader(data), opts)
}

// Upload implements workspace.Filesystem.
func (f *Files) Upload(ctx context.Context, name string, r io.Reader,
	opts workspace.WriteOptions) (workspace.Written, error) {
	files, err := f.placeOfFile(ctx, name)
	if err != nil {
		return workspace.Written{}, err
	}
	return files.Upload(ctx, name, r, opts)
}

// Append implements workspace.Filesystem.
func (f *Files) Append(ctx context.Context, name string, data []byte) (workspace.Written, error) {
	files, err := f.placeOfFile(ctx, name)
	if err != nil {
		return workspace.Written{}, err
	}
	return files.Append(ctx, name, data)
}

// Edit implements workspace.Filesystem.
func (f *Files) Edit(ctx context.Context, name string, create bool,
	change func(old []byte) ([]byte, error)) (workspace.Written, error) {
	files, err := f.placeOfFile(ctx, name)
	if err != nil {
		return workspace.Written{}, err
	}
	return files.Edit(ctx, name, create, change)
}

// placeOfFile is the file system that a file is written to.
func (f *Files) placeOfFile(ctx context.Context, name string) (workspace.Filesystem, error) {
	cleaned, err := f.clean(name)
	if err != nil {
		return nil, err
	}
	r := f.routeOf(cleaned)
	if r == nil && cleaned != "." && len(f.below(cleaned)) > 0 || r != nil && !r.exact && r.path == cleaned {
		return nil, workspace.Errorf(workspace.CodeNotAFile, name,
			"it is the directory of shared files, so it cannot be a file")
	}
	return f.owner(cleaned), f.reachable(ctx, name, cleaned)
}

// reachable refuses a place below what is a file in the eyes of another file system.
func (f *Files) reachable(ctx context.Context, name, cleaned string) error {
	owner := f.routeOf(cleaned)
	for dir := path.Dir(cleaned); dir != "."; dir = path.Dir(dir) {
		r := f.routeOf(dir)
		if r == owner && (owner == nil || dir != owner.path) {
			continue // it sees for itself
		}
		entry, err := f.owner(dir).Stat(ctx, dir)
		switch {
		case r != nil && r.exact, err == nil && entry.Type != workspace.TypeDirectory:
			return workspace.Errorf(workspace.CodeNotADirectory, name, "a name in the path is a file, not a directory")
		case err != nil && !isMissing(err):
			return err
		}
	}
	return nil
}

// Mkdir implements workspace.Filesystem.
func (f *Files) Mkdir(ctx context.Context, name string) (bool, error) {
	cleaned, err := f.clean(name)
	if err != nil {
		return false, err
	}
	if r := f.routeOf(cleaned); r != nil && r.exact {
		return false, workspace.Errorf(workspace.CodeAlreadyExists, name, "it is the name of a shared file")
	}
	if err := f.reachable(ctx, name, cleaned); err != nil {
		return false, err
	}
	return f.owner(cleaned).Mkdir(ctx, name)
}

// Delete implements workspace.Filesystem. A directory goes from every file system that
// has a part in it.
func (f *Files) Delete(ctx context.Context, name string, opts workspace.DeleteOptions) error {
	cleaned, err := f.clean(name)
	if err != nil {
		return err
	}
	inside := f.below(cleaned)
	owner := f.owner(cleaned)
	if len(inside) == 0 || cleaned == "." {
		return owner.Delete(ctx, name, opts)
	}
	entry, err := f.Entry(ctx, cleaned)
	if err != nil {
		return err
	}
	if entry.Type == workspace.TypeDirectory && !opts.Recursive {
		return workspace.Errorf(workspace.CodeNotAFile, name,
			"it is a directory: pass recursive to delete it with everything in it")
	}
	var parts []route
	for _, r := range inside {
		// A store that is away must not be found out half-way.
		there, err := r.files.Exists(ctx, r.path)
		if err != nil {
			return err
		}
		if there {
			parts = append(parts, r)
		}
	}
	if err := owner.Delete(ctx, name, opts); err != nil && !isMissing(err) {
		return err
	}
	for _, r := range parts {
		if err := r.files.Delete(ctx, r.path, opts); err != nil && !isMissing(err) {
			return err
		}
	}
	return nil
}

// Move implements workspace.Filesystem.
func (f *Files) Move(ctx context.Context, from, to string) error {
	source, err := f.clean(from)
	if err != nil {
		return err
	}
	target, err := f.clean(to)
	if err != nil {
		return err
	}
	if source == "." {
		return workspace.Errorf(workspace.CodeInvalidArgument, from, "the project's root cannot be moved")
	}
	owner, next := f.owner(source), f.owner(target)
	if owner == next && len(f.below(source)) == 0 && len(f.below(target)) == 0 {
		if err := f.reachable(ctx, to, target); err != nil {
			return err
		}
		return owner.Move(ctx, from, to)
	}
	entry, err := f.Entry(ctx, source)
	if err != nil {
		return err
	}
	if err := f.movable(ctx, entry, source, target, to); err != nil {
		return err
	}
	if err := workspace.Transfer(ctx, f, source, next, target); err != nil {
		return err
	}
	return f.Delete(ctx, source, workspace.DeleteOptions{Recursive: true, Permanent: true})
}

// movable refuses a move between file systems to a place that cannot take it.
func (f *Files) movable(ctx context.Context, entry workspace.Entry, source, target, to string) error {
	isDir := entry.Type == workspace.TypeDirectory
	if isDir && strings.HasPrefix(target, source+"/") {
		return workspace.Errorf(workspace.CodeInvalidArgument, to, "a directory cannot be moved into itself")
	}
	if err := f.reachable(ctx, to, target); err != nil {
		return err
	}
	there, err := f.Exists(ctx, to)
	if err != nil {
		return err
	}
	if there {
		return workspace.Errorf(workspace.CodeAlreadyExists, to,
			"something is there already: delete it first or choose another name")
	}
	if r := f.routeOf(target); r != nil && r.path == target && r.exact == isDir || len(f.below(target)) > 0 {
		return workspace.Errorf(workspace.CodeInvalidArgument, to, "shared files have this place: choose another one")
	}
	return nil
}

// Import implements workspace.Importer.
func (f *Files) Import(ctx context.Context, from, to string, entries []workspace.Entry,
	open workspace.OpenEntry) error {
	target, err := f.clean(to)
	if err != nil {
		return err
	}
	importer, ok := f.owner(target).(workspace.Importer)
	if !ok || len(f.below(target)) > 0 {
		return workspace.Errorf(workspace.CodeInvalidArgument, to, "a directory cannot be put there at once")
	}
	return importer.Import(ctx, from, to, entries, open)
}
