package layered

import (
	"bytes"
	"context"
	"io"
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
	below, err := f.replaced(ctx, name)
	if err != nil {
		return workspace.Written{}, err
	}
	if below == nil {
		return f.upper.Upload(ctx, name, r, opts)
	}
	switch {
	case opts.IfNoneMatch:
		return workspace.Written{}, workspace.Errorf(workspace.CodeAlreadyExists, name, "the file exists already")
	case opts.IfMatch == "*":
		opts.IfMatch = ""
	case opts.IfMatch != "":
		if below.ETag != opts.IfMatch {
			return workspace.Written{}, changed(name)
		}
		opts.IfMatch, opts.IfNoneMatch = "", true // the upper layer must still have nothing
	}
	if opts.Mode == 0 && below.Executable {
		opts.Mode = 0o755
	}
	written, err := f.upper.Upload(ctx, name, r, opts)
	if opts.IfNoneMatch && workspace.IsCode(err, workspace.CodeAlreadyExists) {
		err = changed(name)
	}
	written.Created = false
	return written, err
}

func changed(name string) error {
	return workspace.Errorf(workspace.CodePreconditionFailed, name, "the file was changed meanwhile: read it again")
}

// replaced is the file of the lower layer that a write to the upper one replaces; nil:
// there is none. A place that is no file's is an error.
func (f *Files) replaced(ctx context.Context, name string) (*workspace.Entry, error) {
	cleaned, err := f.clean(name)
	if err != nil {
		return nil, err
	}
	layer, entry, err := f.layer(ctx, name)
	switch {
	case workspace.IsCode(err, workspace.CodeNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case layer == f.upper:
		return nil, nil // it says itself what is wrong
	case entry.Type != workspace.TypeFile:
		return nil, workspace.Errorf(workspace.CodeNotAFile, name, "it is a directory, not a file")
	}
	in, entry, err := f.lower.Download(ctx, cleaned)
	if err != nil {
		return nil, err
	}
	return &entry, in.Close()
}

// Append implements workspace.Filesystem.
func (f *Files) Append(ctx context.Context, name string, data []byte) (workspace.Written, error) {
	return f.Edit(ctx, name, true, func(old []byte) ([]byte, error) {
		return append(old[:len(old):len(old)], data...), nil
	})
}

// Edit implements workspace.Filesystem.
func (f *Files) Edit(ctx context.Context, name string, create bool,
	change func(old []byte) ([]byte, error)) (workspace.Written, error) {
	below, err := f.replaced(ctx, name)
	if err != nil {
		return workspace.Written{}, err
	}
	if below == nil {
		return f.upper.Edit(ctx, name, create, change)
	}
	written, err := f.upper.Edit(ctx, name, true, func(old []byte) ([]byte, error) {
		if old == nil {
			content, err := f.lower.Read(ctx, name, 0, 0)
			if err != nil {
				return nil, err
			}
			old = content.Data
		}
		return change(old)
	})
	written.Created = false
	return written, err
}

// Mkdir implements workspace.Filesystem.
func (f *Files) Mkdir(ctx context.Context, name string) (bool, error) {
	if _, err := f.clean(name); err != nil {
		return false, err
	}
	layer, entry, err := f.layer(ctx, name)
	switch {
	case layer == f.upper || workspace.IsCode(err, workspace.CodeNotFound):
		return f.upper.Mkdir(ctx, name)
	case err != nil:
		return false, err
	case entry.Type != workspace.TypeDirectory:
		return false, workspace.Errorf(workspace.CodeAlreadyExists, name, "a file is there already")
	}
	return false, nil
}

// Delete implements workspace.Filesystem.
func (f *Files) Delete(ctx context.Context, name string, opts workspace.DeleteOptions) error {
	cleaned, err := f.clean(name)
	if err != nil {
		return err
	}
	if cleaned == "." {
		return workspace.Errorf(workspace.CodeAccessDenied, name, "the project's root cannot be deleted")
	}
	layer, entry, err := f.layer(ctx, name)
	if err != nil {
		return err
	}
	if entry.Type == workspace.TypeDirectory && !opts.Recursive {
		return workspace.Errorf(workspace.CodeNotAFile, name,
			"it is a directory: pass recursive to delete it with everything in it")
	}
	below, err := f.showsLower(ctx, name)
	if err != nil {
		return err
	}
	if below && f.hidden != nil {
		if err := f.matches(ctx, layer, entry, opts); err != nil {
			return err
		}
		// The tombstone comes first: nobody sees the lower file in between.
		if err := f.hide(ctx, cleaned); err != nil {
			return err
		}
	}
	if layer == f.upper {
		return f.upper.Delete(ctx, name, opts)
	}
	if f.hidden == nil {
		return onDisk(name)
	}
	return nil
}

func onDisk(name string) error {
	return workspace.Errorf(workspace.CodeAccessDenied, name,
		"it comes from the project's disk, below the shared store: delete it there, or set workspace.tombstones")
}

func (f *Files) matches(ctx context.Context, layer workspace.Filesystem, entry workspace.Entry,
	opts workspace.DeleteOptions) error {
	if opts.IfMatch == "" || opts.IfMatch == "*" || entry.Type == workspace.TypeDirectory {
		return nil
	}
	in, entry, err := layer.Download(ctx, entry.Path)
	if err != nil {
		return err
	}
	if err := in.Close(); err != nil {
		return err
	}
	if entry.ETag != opts.IfMatch {
		return changed(entry.Path)
	}
	return nil
}

// Move implements workspace.Filesystem. What the lower layer has a part in is copied.
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
	_, entry, err := f.layer(ctx, from)
	if err != nil {
		return err
	}
	if entry.Type == workspace.TypeDirectory && strings.HasPrefix(target, source+"/") {
		return workspace.Errorf(workspace.CodeInvalidArgument, to, "a directory cannot be moved into itself")
	}
	if err := f.free(ctx, to, target); err != nil {
		return err
	}
	below, err := f.showsLower(ctx, from)
	switch {
	case err != nil:
		return err
	case !below:
		return f.upper.Move(ctx, from, to)
	case f.hidden == nil:
		return onDisk(from)
	}
	if err := workspace.Transfer(ctx, f, source, f.upper, target); err != nil {
		return err
	}
	return f.Delete(ctx, source, workspace.DeleteOptions{Recursive: true})
}

// free refuses a place where something is.
func (f *Files) free(ctx context.Context, name, cleaned string) error {
	for _, dir := range parents(cleaned) {
		_, entry, err := f.layer(ctx, dir)
		if err == nil && entry.Type != workspace.TypeDirectory {
			return workspace.Errorf(workspace.CodeNotADirectory, name, "a name in the path is a file, not a directory")
		}
	}
	there, err := f.Exists(ctx, name)
	if err == nil && there {
		err = workspace.Errorf(workspace.CodeAlreadyExists, name,
			"something is there already: delete it first or choose another name")
	}
	return err
}

// Import implements workspace.Importer.
func (f *Files) Import(ctx context.Context, from, to string, entries []workspace.Entry,
	open workspace.OpenEntry) error {
	target, err := f.clean(to)
	if err != nil {
		return err
	}
	if err := f.free(ctx, to, target); err != nil {
		return err
	}
	importer, ok := f.upper.(workspace.Importer)
	if !ok {
		return workspace.Errorf(workspace.CodeInvalidArgument, to, "a directory cannot be put there at once")
	}
	return importer.Import(ctx, from, to, entries, open)
}
