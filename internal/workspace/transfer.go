package workspace

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
)

// Importer takes a whole directory from elsewhere. Readers see nothing of it or all.
type Importer interface {
	// Import makes the directory to, where nothing may be yet. The paths of the
	// entries begin with from; directories come before what is in them.
	Import(ctx context.Context, from, to string, entries []Entry, open OpenEntry) error
}

// OpenEntry opens a file of a listing.
type OpenEntry func(ctx context.Context, file Entry) (io.ReadCloser, error)

// Transfer copies a file or a directory from one file system to another, where
// nothing may be yet. What has a special type or may not be read is an error: whoever
// deletes the source afterwards must not lose it.
func Transfer(ctx context.Context, source Filesystem, from string, target Filesystem, to string) error {
	entry, err := source.Stat(ctx, from)
	if err != nil {
		return err
	}
	open := func(ctx context.Context, file Entry) (io.ReadCloser, error) {
		in, _, err := source.Download(ctx, file.Path)
		return in, err
	}
	if entry.Type != TypeDirectory {
		return transferFile(ctx, entry, open, target, to)
	}
	importer, ok := target.(Importer)
	if !ok {
		return Errorf(CodeInvalidArgument, from, "a directory cannot be moved there: move its files one by one")
	}
	listing, err := source.List(ctx, from, ListOptions{Recursive: true, All: true, Limit: -1})
	if err != nil {
		return err
	}
	if listing.Truncated {
		return Errorf(CodeInvalidArgument, from, "it is nested too deep to be moved there")
	}
	for _, one := range listing.Entries {
		if one.Type != TypeFile && one.Type != TypeDirectory {
			return Errorf(CodeInvalidArgument, one.Path, "a %s cannot be moved there: delete it first", one.Type)
		}
	}
	return importer.Import(ctx, entry.Path, to, listing.Entries, open)
}

func transferFile(ctx context.Context, entry Entry, open OpenEntry, target Filesystem, to string) error {
	in, err := open(ctx, entry)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = target.Upload(ctx, to, in, WriteOptions{IfNoneMatch: true, Mode: modeOf(entry)})
	return err
}

func modeOf(entry Entry) uint32 {
	if entry.Executable {
		return 0o755
	}
	return newFileMode
}

var _ Importer = (*Local)(nil)

// Import implements Importer. The directory is made under a reserved name beside its
// place; one that a crash leaves there is removed by a listing later.
func (l *Local) Import(ctx context.Context, from, to string, entries []Entry, open OpenEntry) error {
	target, err := l.resolve(ctx, to, how{parents: true})
	if err != nil {
		return err
	}
	defer target.close()
	err = l.importTo(ctx, target, from, to, entries, open)
	if err != nil {
		l.unmake(target.made)
	}
	return diskError(to, err)
}

func (l *Local) importTo(ctx context.Context, target *place, from, to string, entries []Entry, open OpenEntry) error {
	if target.info != nil {
		return Errorf(CodeAlreadyExists, to, "something is there already: delete it first or choose another name")
	}
	var size change
	limits := l.limits()
	for _, entry := range entries {
		at := joinPath(target.path, relative(from, entry.Path))
		if err := errors.Join(limits.Permit(to, at), limits.PermitDepth(to, at)); err != nil {
			return err
		}
		if entry.Type == TypeFile {
			size = size.plus(change{1, entry.Size})
		}
	}
	undo, err := l.reserve(ctx, to, size)
	if err != nil {
		return err
	}
	temp := tempPrefix + randomName()
	if err = l.fillTree(ctx, target.dir, temp, from, entries, open); err == nil {
		err = renameNew(target.dir, temp, target.dir, target.name)
	}
	if err != nil {
		undo()
		// What cannot be removed now is removed by a listing later.
		_ = removeTree(context.WithoutCancel(ctx), target.dir, temp)
	}
	return err
}

func (l *Local) fillTree(ctx context.Context, dir *os.Root, temp, from string, entries []Entry, open OpenEntry) error {
	if err := dir.Mkdir(temp, dirMode); err != nil {
		return err
	}
	root, err := dir.OpenRoot(temp)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, entry := range entries {
		at := relative(from, entry.Path)
		if entry.Type == TypeDirectory {
			err = root.MkdirAll(at, dirMode)
		} else if err = root.MkdirAll(path.Dir(at), dirMode); err == nil {
			err = importFile(ctx, root, at, entry, open)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func importFile(ctx context.Context, root *os.Root, at string, entry Entry, open OpenEntry) error {
	in, err := open(ctx, entry)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, os.FileMode(modeOf(entry)))
	if err != nil {
		return err
	}
	_, err = io.Copy(out, contextReader{ctx, in})
	return errors.Join(err, out.Close())
}

// Content opens a file of a listing for reading, without a hash of it.
func (l *Local) Content(ctx context.Context, file Entry) (io.ReadCloser, error) {
	f, _, err := l.openFile(ctx, file.Path)
	if err != nil {
		return nil, err // a nil *os.File in an interface is not nil
	}
	return f, nil
}

// ContentOf opens a file of a listing for a search, in the way that costs least.
func ContentOf(ctx context.Context, files Filesystem, file Entry) (io.ReadCloser, error) {
	if opener, ok := files.(interface {
		Content(context.Context, Entry) (io.ReadCloser, error)
	}); ok {
		return opener.Content(ctx, file)
	}
	in, _, err := files.Download(ctx, file.Path)
	return in, err
}

// ChildrenOf returns all entries of a directory, in no order.
func ChildrenOf(ctx context.Context, files Filesystem, dir string) ([]Entry, error) {
	if tree, ok := files.(Tree); ok {
		return tree.Children(ctx, dir)
	}
	listing, err := files.List(ctx, dir, ListOptions{Limit: -1})
	return listing.Entries, err
}
