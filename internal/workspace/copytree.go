package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// copyTree copies a file, a link or a directory with everything in it to a name
// that is free. It follows no links. What is no ordinary file of the project, a
// FIFO or a file with another hard link, is left out: its content may be foreign.
func copyTree(ctx context.Context, from *os.Root, name string, to *os.Root, as string) error {
	return copyAt(ctx, from, name, to, as, noDepth)
}

// copyAt copies directories in each other up to a depth: each level is two open ones.
func copyAt(ctx context.Context, from *os.Root, name string, to *os.Root, as string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if depth == 0 {
		return Errorf(CodeInvalidArgument, "",
			"it holds more than %d directories in each other, which cannot be copied to or from the trash: delete "+
				"it permanently", noDepth)
	}
	info, err := from.Lstat(name)
	if err != nil {
		return err
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return copyDir(ctx, from, name, info, to, as, depth)
	case mode&fs.ModeSymlink != 0:
		target, err := from.Readlink(name)
		if err != nil {
			return err
		}
		return to.Symlink(target, as)
	case readable(name, info) != nil:
		return nil
	}
	return copyFile(ctx, from, name, info, to, as)
}

func copyDir(ctx context.Context, from *os.Root, name string, info fs.FileInfo, to *os.Root, as string,
	depth int) error {
	source, err := openDir(from, name, info)
	if err != nil {
		return err
	}
	defer source.Close()
	if err := to.Mkdir(as, trashDirMode); err != nil {
		return err
	}
	target, err := to.OpenRoot(as)
	if err != nil {
		return err
	}
	defer target.Close()
	names, err := trashIDs(source)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := copyAt(ctx, source, name, target, name, depth-1); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := target.Chtimes(".", info.ModTime(), info.ModTime()); err != nil {
		return err
	}
	return target.Chmod(".", info.Mode().Perm())
}

func copyFile(ctx context.Context, from *os.Root, name string, info fs.FileInfo, to *os.Root, as string) error {
	in, _, err := openSame(from, name, info, name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.OpenFile(as, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, contextReader{ctx, in})
	if err == nil {
		if node := inodeOf(info); os.Geteuid() == 0 && (node.uid != 0 || node.gid != 0) {
			err = out.Chown(int(node.uid), int(node.gid))
		}
	}
	if err == nil {
		err = out.Chmod(info.Mode().Perm())
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return to.Chtimes(as, info.ModTime(), info.ModTime())
}
