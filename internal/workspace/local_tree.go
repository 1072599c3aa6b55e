package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// Mkdir implements Filesystem.
func (l *Local) Mkdir(ctx context.Context, path string) (created bool, err error) {
	for range maxSwaps {
		target, err := l.resolve(ctx, path, how{follow: true, parents: true})
		if err != nil {
			return false, err
		}
		created, err := target.mkdir(path)
		target.close()
		if err != nil {
			l.unmake(target.made)
		}
		if !errors.Is(err, errSwapped) {
			return created, diskError(path, err)
		}
	}
	return false, swappedError(path)
}

func (p *place) mkdir(path string) (created bool, err error) {
	if p.info != nil {
		if p.info.IsDir() {
			return false, nil
		}
		return false, Errorf(CodeAlreadyExists, path, "a file is there already")
	}
	err = p.dir.Mkdir(p.name, dirMode)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return false, errSwapped
	}
	return err == nil, err
}

// Delete implements Filesystem.
func (l *Local) Delete(ctx context.Context, path string, opts DeleteOptions) error {
	target, err := l.resolve(ctx, path, how{})
	if err != nil {
		return err
	}
	defer target.close()
	switch {
	case target.isRoot():
		return Errorf(CodeAccessDenied, path, "the project's root cannot be deleted")
	case target.info == nil:
		return Errorf(CodeNotFound, path, "there is no such file or directory")
	case target.info.IsDir() && !opts.Recursive:
		return Errorf(CodeNotAFile, path, "it is a directory: pass recursive to delete it with everything in it")
	case target.info.IsDir():
		return diskError(path, l.deleteDir(ctx, target, path, opts))
	}
	return diskError(path, l.deleteFile(ctx, target, path, opts))
}

func (l *Local) deleteFile(ctx context.Context, target *place, path string, opts DeleteOptions) error {
	release, err := lockPlace(ctx, target)
	if err != nil {
		return err
	}
	defer release()
	if opts.IfMatch != "" {
		if err := target.refresh(path); err != nil {
			return err
		}
		if err := expect(ctx, target, path, WriteOptions{IfMatch: opts.IfMatch}); err != nil {
			return err
		}
	}
	gone := sizeOf(target.info)
	if l.trash != "" && !opts.Permanent {
		return l.toTrash(ctx, target, census{change: gone}, opts.Actor)
	}
	if err := target.dir.Remove(target.name); err != nil {
		return err
	}
	l.usage.add(change{-gone.files, -gone.bytes})
	return nil
}

func (l *Local) deleteDir(ctx context.Context, target *place, path string, opts DeleteOptions) error {
	var gone census
	kept := l.trash != "" && !opts.Permanent
	if limits := l.limits(); kept || limits.countsFiles() || len(limits.DeniedNames) > 0 {
		dir, err := openDir(target.dir, target.name, target.info)
		if err != nil {
			return err
		}
		gone, err = l.measure(ctx, target.path, dir)
		dir.Close()
		if err != nil {
			return err
		}
	}
	for _, one := range gone.denied {
		if !one.deep {
			return Errorf(CodeAccessDenied, path, "it holds %q, and the configuration denies such names", one.path)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if kept {
		return l.toTrash(ctx, target, gone, opts.Actor)
	}
	if err := removeTree(ctx, target.dir, target.name); err != nil {
		l.usage.forget() // some of it is gone, nobody knows how much
		return err
	}
	l.usage.add(change{-gone.files, -gone.bytes})
	return nil
}

// Move implements Filesystem.
func (l *Local) Move(ctx context.Context, from, to string) error {
	for range maxSwaps {
		err := l.moveOnce(ctx, from, to)
		if !errors.Is(err, errSwapped) {
			return err
		}
	}
	return swappedError(to)
}

func (l *Local) moveOnce(ctx context.Context, from, to string) error {
	source, err := l.resolve(ctx, from, how{})
	if err != nil {
		return err
	}
	defer source.close()
	if source.isRoot() {
		return Errorf(CodeInvalidArgument, from, "the project's root cannot be moved")
	}
	if err := l.movable(ctx, source, from); err != nil {
		return err
	}
	if source.info == nil {
		return Errorf(CodeNotFound, from, "there is no such file or directory")
	}
	if inside, err := isInside(to, source.path); err != nil {
		return err
	} else if inside && source.info.IsDir() {
		return Errorf(CodeInvalidArgument, to, "a directory cannot be moved into itself")
	}
	target, err := l.resolve(ctx, to, how{parents: true})
	if err != nil {
		return err
	}
	defer target.close()
	err = l.rename(ctx, source, target, to)
	if err != nil {
		l.unmake(target.made)
	}
	return err
}

// movable refuses to move a directory away from denied paths in it: elsewhere the
// globs would not find them.
func (l *Local) movable(ctx context.Context, source *place, from string) error {
	limits := l.limits()
	if source.info == nil || !source.info.IsDir() || !slices.ContainsFunc(limits.DeniedNames,
		func(glob string) bool { return strings.Contains(glob, "/") }) {
		return nil
	}
	dir, err := openDir(source.dir, source.name, source.info)
	if err != nil {
		return diskError(from, err)
	}
	defer dir.Close()
	found, err := l.measure(ctx, source.path, dir)
	if err != nil {
		return diskError(from, err)
	}
	for _, one := range found.denied {
		return Errorf(CodeAccessDenied, from, "it holds %q, which is denied or nested too deep to be looked at",
			one.path)
	}
	return nil
}

// measure counts what is in a directory of the project.
func (l *Local) measure(ctx context.Context, path string, dir *os.Root) (census, error) {
	opts := l.walkOptions(ctx, path)
	ignored := opts.all
	found, err := takeCensus(ctx, dir, opts, l.limits())
	if ignored {
		found.files, found.ignored = 0, found.files+found.ignored
	}
	return found, err
}

// isInside says whether a caller's path lies below a cleaned directory.
func isInside(path, dir string) (bool, error) {
	cleaned, err := CleanPath(path)
	return err == nil && strings.HasPrefix(cleaned, dir+"/"), err
}

func (l *Local) rename(ctx context.Context, source, target *place, to string) error {
	if target.info != nil {
		return Errorf(CodeAlreadyExists, to, "something is there already: delete it first or choose another name")
	}
	release, err := lockPlace(ctx, source)
	if err != nil {
		return diskError(to, err)
	}
	defer release()
	err = renameNew(source.dir, source.name, target.dir, target.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errSwapped // the source or the target's directory is gone
	case errors.Is(err, syscall.EINVAL):
		return Errorf(CodeInvalidArgument, to, "a directory cannot be moved into itself")
	}
	return diskError(to, err)
}
