package remote

import (
	"bytes"
	"context"
	"io"
	"strings"

	"nanoclaw/internal/workspace"
)

// maxName is how many bytes a name has at most, as on a disk: files are moved there.
const maxName = 255

// Write implements workspace.Filesystem.
func (f *Files) Write(ctx context.Context, path string, data []byte,
	opts workspace.WriteOptions) (workspace.Written, error) {
	if limits := f.limits(); limits.TooLarge(int64(len(data))) {
		return workspace.Written{}, limits.TooLargeError(path)
	}
	return f.Upload(ctx, path, bytes.NewReader(data), opts)
}

// Upload implements workspace.Filesystem.
func (f *Files) Upload(ctx context.Context, path string, r io.Reader,
	opts workspace.WriteOptions) (workspace.Written, error) {
	target, err := f.target(path)
	if err != nil {
		return workspace.Written{}, err
	}
	// It is checked again when the name is given; here it spares the stream.
	err = f.journal.read(ctx, func(t *tree) error {
		old, err := t.writable(target)
		if err != nil {
			return err
		}
		return expect(old, path, opts)
	})
	if err != nil {
		return workspace.Written{}, err
	}
	put, err := f.store(ctx, path, r)
	if err != nil {
		return workspace.Written{}, err
	}
	return f.name(ctx, target, put, opts.Mode, func(old *node) error { return expect(old, path, opts) })
}

// Append implements workspace.Filesystem.
func (f *Files) Append(ctx context.Context, path string, data []byte) (workspace.Written, error) {
	return f.Edit(ctx, path, true, func(old []byte) ([]byte, error) {
		return append(old[:len(old):len(old)], data...), nil
	})
}

// Edit implements workspace.Filesystem.
func (f *Files) Edit(ctx context.Context, path string, create bool,
	change func(old []byte) ([]byte, error)) (workspace.Written, error) {
	target, err := f.target(path)
	if err != nil {
		return workspace.Written{}, err
	}
	release, err := f.journal.edit(ctx, target.cleaned)
	if err != nil {
		return workspace.Written{}, err
	}
	defer release()
	for {
		written, again, err := f.editOnce(ctx, target, create, change)
		if !again {
			return written, err
		}
	}
}

// editOnce is one attempt at an edit; again: another process has changed the file
// meanwhile.
func (f *Files) editOnce(ctx context.Context, target target, create bool,
	change func(old []byte) ([]byte, error)) (written workspace.Written, again bool, err error) {
	old, before, err := f.whole(ctx, target, create)
	if err != nil {
		return written, false, err
	}
	next, err := change(old)
	if err != nil {
		return written, false, err
	}
	put, err := f.store(ctx, target.name, bytes.NewReader(next))
	if err != nil {
		return written, false, err
	}
	changed := workspace.Errorf(workspace.CodePreconditionFailed, target.name, "the file was changed meanwhile")
	written, err = f.name(ctx, target, put, 0, func(now *node) error {
		if (now == nil) != (before == "") || now != nil && now.file.Content != before {
			return changed
		}
		return nil
	})
	return written, err == error(changed), err
}

// whole reads a file that is edited: nil and no content's id where there is none.
func (f *Files) whole(ctx context.Context, target target, create bool) (data []byte, content string, err error) {
	var known file
	err = f.journal.read(ctx, func(t *tree) error {
		if !create {
			known, err = t.fileAt(target.name, target.cleaned)
			return err
		}
		old, err := t.writable(target)
		if old != nil {
			known = old.file
		}
		return err
	})
	if err != nil || known.Content == "" {
		return nil, "", err
	}
	if limits := f.limits(); limits.TooLarge(known.Size) {
		return nil, "", limits.TooLargeError(target.name)
	}
	in, err := f.contents.open(ctx, known.Content)
	if err != nil {
		return nil, "", err
	}
	defer in.Close()
	data, err = io.ReadAll(in)
	return data, known.Content, away(target.name, err)
}

// target is where a write goes.
type target struct {
	name    string // as the caller gave it
	cleaned string
}

// target checks the path of something that is written.
func (f *Files) target(name string) (target, error) {
	cleaned, err := f.clean(name)
	if err != nil {
		return target{}, err
	}
	if err := f.limits().PermitDepth(name, cleaned); err != nil {
		return target{}, err
	}
	for part := range strings.SplitSeq(cleaned, "/") {
		if len(part) > maxName {
			return target{}, workspace.Errorf(workspace.CodeInvalidArgument, name, "a name in the path is too long")
		}
	}
	return target{name, cleaned}, nil
}

// writable returns the file that a write replaces; nil: it makes a new one.
func (t *tree) writable(at target) (*node, error) {
	if at.cleaned == "." {
		return nil, workspace.Errorf(workspace.CodeNotAFile, at.name, "it is the project's root directory, not a file")
	}
	switch found, belowFile := t.find(at.cleaned); {
	case belowFile:
		return nil, workspace.Errorf(workspace.CodeNotADirectory, at.name,
			"a name in the path is a file, not a directory")
	case found == nil && strings.HasSuffix(at.name, "/"):
		return nil, workspace.Errorf(workspace.CodeInvalidArgument, at.name,
			"the path ends in a slash, so it does not name a file")
	case found != nil && found.children != nil:
		return nil, workspace.Errorf(workspace.CodeNotAFile, at.name, "it is a directory, not a file")
	default:
		return found, nil
	}
}

// expect checks the conditions of a write against what is there.
func expect(old *node, name string, opts workspace.WriteOptions) error {
	switch {
	case opts.IfNoneMatch && old != nil:
		return workspace.Errorf(workspace.CodeAlreadyExists, name, "the file exists already")
	case opts.IfMatch == "":
		return nil
	case old == nil:
		return workspace.Errorf(workspace.CodePreconditionFailed, name, "the file does not exist any more")
	case opts.IfMatch != "*" && opts.IfMatch != old.file.ETag:
		return workspace.Errorf(workspace.CodePreconditionFailed, name, "the file was changed meanwhile: read it again")
	}
	return nil
}

// store puts a content that gets a name later.
func (f *Files) store(ctx context.Context, name string, r io.Reader) (stored, error) {
	return f.contents.put(ctx, r, func(size int64) error {
		if limits := f.limits(); limits.TooLarge(size) {
			return limits.TooLargeError(name)
		}
		return nil
	})
}

// name makes a content the file at a target, if check agrees to what is there.
func (f *Files) name(ctx context.Context, at target, put stored, mode uint32,
	check func(old *node) error) (written workspace.Written, err error) {
	refused := false
	err = f.journal.commit(ctx, func(t *tree) (_ []op, err error) {
		defer func() { refused = err != nil }()
		if put.bad() {
			return nil, workspace.Errorf(workspace.CodeUnavailable, at.name, "the upload was suspended: repeat it")
		}
		old, err := t.writable(at)
		if err != nil {
			return nil, err
		}
		if err := check(old); err != nil {
			return nil, err
		}
		next := file{Content: put.id, Size: put.size, ETag: put.etag, Binary: put.binary, Executable: mode&0o111 != 0}
		files, size := 1, put.size
		if old != nil {
			files, size = 0, put.size-old.file.Size
			if mode == 0 {
				next.Executable = old.file.Executable
			}
		}
		if err := f.room(t, at.name, files, size); err != nil {
			return nil, err
		}
		written = workspace.Written{Path: at.cleaned, Created: old == nil, Size: put.size, ETag: put.etag}
		return []op{{Kind: opPut, Path: []byte(at.cleaned), File: &next}}, nil
	})
	if refused {
		// Where this fails, the collector removes it.
		_ = f.contents.remove(context.WithoutCancel(ctx), put.id)
	}
	return written, err
}

// room refuses what would break a limit of the project.
func (f *Files) room(t *tree, name string, files int, size int64) error {
	limits := f.limits()
	switch {
	case files > 0 && limits.MaxFiles > 0 && t.files+files > limits.MaxFiles:
		return workspace.Errorf(workspace.CodeQuotaExceeded, name,
			"there are %d files already, the largest number: delete those that are not needed", t.files)
	case size > 0 && limits.MaxTotalSize > 0 && t.bytes+size > limits.MaxTotalSize:
		return workspace.Errorf(workspace.CodeQuotaExceeded, name,
			"the files would have more than %d bytes together: delete those that are not needed", limits.MaxTotalSize)
	}
	return nil
}
