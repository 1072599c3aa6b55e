package remote

import (
	"context"
	"path"
	"strings"

	"nanoclaw/internal/workspace"
)

// mostImported is how many files and directories fit into one message of the journal,
// with paths of a usual length.
const mostImported = 2000

var _ workspace.Importer = (*Files)(nil)

// Import implements workspace.Importer: contents first, then all names in one message.
func (f *Files) Import(ctx context.Context, from, to string, entries []workspace.Entry,
	open workspace.OpenEntry) (err error) {
	at, err := f.target(to)
	if err != nil {
		return err
	}
	if len(entries) > mostImported {
		return workspace.Errorf(workspace.CodeInvalidArgument, to,
			"a directory with more than %d entries cannot be moved here at once: move its parts", mostImported)
	}
	ops := []op{{Kind: opMkdir, Path: []byte(at.cleaned)}}
	var puts []stored
	defer func() {
		if err == nil || workspace.IsCode(err, workspace.CodeUnavailable) {
			return // they are named, or may be
		}
		for _, put := range puts {
			// Where this fails, the collector removes it.
			_ = f.contents.remove(context.WithoutCancel(ctx), put.id)
		}
	}()
	var size int64
	for _, entry := range entries {
		place, err := f.target(path.Join(at.cleaned, strings.TrimPrefix(entry.Path, from+"/")))
		if err != nil {
			return err
		}
		if entry.Type == workspace.TypeDirectory {
			ops = append(ops, op{Kind: opMkdir, Path: []byte(place.cleaned)})
			continue
		}
		put, err := f.take(ctx, place, entry, open)
		if err != nil {
			return err
		}
		puts, size = append(puts, put), size+put.size
		ops = append(ops, op{Kind: opPut, Path: []byte(place.cleaned), File: &file{Content: put.id, Size: put.size,
			ETag: put.etag, Binary: put.binary, Executable: entry.Executable}})
	}
	return f.journal.commit(ctx, func(t *tree) ([]op, error) {
		for _, put := range puts {
			if put.bad() {
				return nil, workspace.Errorf(workspace.CodeInvalidArgument, to,
					"the move takes too long to be made at once: move its parts")
			}
		}
		if err := free(t, at); err != nil {
			return nil, err
		}
		return ops, f.room(t, to, len(puts), size)
	})
}

func (f *Files) take(ctx context.Context, at target, entry workspace.Entry, open workspace.OpenEntry) (stored, error) {
	in, err := open(ctx, entry)
	if err != nil {
		return stored{}, err
	}
	defer in.Close()
	return f.store(ctx, at.name, in)
}

// free refuses a place where something is, or that is below a file.
func free(t *tree, at target) error {
	there, belowFile := t.find(at.cleaned)
	switch {
	case belowFile:
		return workspace.Errorf(workspace.CodeNotADirectory, at.name,
			"a name in the path is a file, not a directory")
	case there != nil:
		return workspace.Errorf(workspace.CodeAlreadyExists, at.name,
			"something is there already: delete it first or choose another name")
	}
	return nil
}
