package remote

import (
	"context"
	"errors"
	"fmt"
	"io"

	"nanoclaw/internal/workspace"
)

// Files are the files of one namespace.
type Files struct {
	journal  *journal
	contents *contents
	limits   func() workspace.Limits
}

var _ workspace.Filesystem = (*Files)(nil)

// clean checks a caller's path.
func (f *Files) clean(name string) (string, error) {
	cleaned, err := workspace.CleanPath(name)
	if err == nil {
		err = f.limits().Permit(name, cleaned)
	}
	return cleaned, err
}

// Entry implements workspace.Tree.
func (f *Files) Entry(ctx context.Context, cleaned string) (entry workspace.Entry, err error) {
	err = f.journal.read(ctx, func(t *tree) error {
		found, err := t.look(cleaned, cleaned)
		if err == nil {
			entry = found.entry(cleaned)
		}
		return err
	})
	return entry, err
}

// Children implements workspace.Tree.
func (f *Files) Children(ctx context.Context, dir string) (entries []workspace.Entry, err error) {
	err = f.journal.view(ctx, func(t *tree) error {
		found, err := t.look(dir, dir)
		if err != nil {
			return err
		}
		entries = make([]workspace.Entry, 0, len(found.children))
		for name, child := range found.children {
			entries = append(entries, child.entry(join(dir, name)))
		}
		return nil
	})
	return entries, err
}

func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// Content implements workspace.Tree. It fetches no content that is known to be binary.
func (f *Files) Content(ctx context.Context, entry workspace.Entry) (io.ReadCloser, error) {
	var known file
	err := f.journal.view(ctx, func(t *tree) (err error) {
		known, err = t.fileAt(entry.Path, entry.Path)
		return err
	})
	if err != nil {
		return nil, err
	}
	if known.Binary {
		return nil, workspace.ErrBinary
	}
	return f.contents.open(ctx, known.Content)
}

// fileAt is what is known of a file.
func (t *tree) fileAt(name, cleaned string) (file, error) {
	found, err := t.look(name, cleaned)
	if err != nil {
		return file{}, err
	}
	if found.children != nil {
		return file{}, workspace.Errorf(workspace.CodeNotAFile, name, "it is a directory, not a file")
	}
	return found.file, nil
}

func (f *Files) search() workspace.Search { return workspace.Search{Tree: f, Limits: f.limits()} }

// List implements workspace.Filesystem.
func (f *Files) List(ctx context.Context, path string, opts workspace.ListOptions) (workspace.Listing, error) {
	return f.search().List(ctx, path, opts)
}

// Grep implements workspace.Filesystem.
func (f *Files) Grep(ctx context.Context, opts workspace.GrepOptions) (workspace.GrepResult, error) {
	return f.search().Grep(ctx, opts)
}

// Glob implements workspace.Filesystem.
func (f *Files) Glob(ctx context.Context, pattern string, opts workspace.GlobOptions) (workspace.Listing, error) {
	return f.search().Glob(ctx, pattern, opts)
}

// Stat implements workspace.Filesystem.
func (f *Files) Stat(ctx context.Context, path string) (entry workspace.Entry, err error) {
	cleaned, err := f.clean(path)
	if err != nil {
		return entry, err
	}
	err = f.journal.read(ctx, func(t *tree) error {
		found, err := t.look(path, cleaned)
		if err == nil {
			entry = found.entry(cleaned)
		}
		return err
	})
	return entry, err
}

// Exists implements workspace.Filesystem.
func (f *Files) Exists(ctx context.Context, path string) (bool, error) {
	_, err := f.Stat(ctx, path)
	if workspace.IsCode(err, workspace.CodeNotFound) || workspace.IsCode(err, workspace.CodeNotADirectory) {
		return false, nil
	}
	return err == nil, err
}

// Read implements workspace.Filesystem. A large file is streamed up to the offset.
func (f *Files) Read(ctx context.Context, path string, offset, limit int64) (workspace.Content, error) {
	if offset < 0 || limit < 0 {
		return workspace.Content{}, workspace.Errorf(workspace.CodeInvalidArgument, path,
			"offset and limit must not be negative")
	}
	in, entry, err := f.Download(ctx, path)
	if err != nil {
		return workspace.Content{}, err
	}
	defer in.Close()
	length := max(0, entry.Size-offset)
	if limit > 0 {
		length = min(length, limit)
	} else if limits := f.limits(); limits.TooLarge(entry.Size) {
		return workspace.Content{}, limits.TooLargeError(path)
	}
	if length > 0 {
		if err := skip(in, offset); err != nil {
			return workspace.Content{}, away(path, err)
		}
	}
	data := make([]byte, length)
	if _, err := io.ReadFull(in, data); err != nil {
		return workspace.Content{}, away(path, err)
	}
	return workspace.Content{Data: data, Offset: offset, Size: entry.Size}, nil
}

func skip(in io.Reader, n int64) error {
	if seeker, ok := in.(io.Seeker); ok {
		_, err := seeker.Seek(n, io.SeekStart)
		return err
	}
	_, err := io.CopyN(io.Discard, in, n)
	return err
}

// Download implements workspace.Filesystem. A small file's reader is an io.ReadSeekCloser.
func (f *Files) Download(ctx context.Context, path string) (io.ReadCloser, workspace.Entry, error) {
	cleaned, err := f.clean(path)
	if err != nil {
		return nil, workspace.Entry{}, err
	}
	var known file
	var entry workspace.Entry
	err = f.journal.read(ctx, func(t *tree) (err error) {
		if known, err = t.fileAt(path, cleaned); err == nil {
			found, _ := t.find(cleaned)
			entry = found.entry(cleaned)
		}
		return err
	})
	if err != nil {
		return nil, workspace.Entry{}, err
	}
	entry.ETag = known.ETag
	in, err := f.contents.open(ctx, known.Content)
	return in, entry, err
}

// Stamp implements workspace.Filesystem. A directory's stamp is its version in the
// journal, which covers everything below it.
func (f *Files) Stamp(ctx context.Context, path string, _ bool) (stamp string, err error) {
	cleaned, err := f.clean(path)
	if err != nil {
		return "", err
	}
	err = f.journal.read(ctx, func(t *tree) error {
		found, err := t.look(path, cleaned)
		var own *workspace.Error
		switch {
		case errors.As(err, &own):
			stamp = "missing"
		case found.children == nil:
			stamp = found.file.ETag
		default:
			stamp = fmt.Sprintf("%s/%d", f.journal.ns.token(), found.version)
		}
		return nil
	})
	return stamp, err
}
