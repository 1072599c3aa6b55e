package sandboxed

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// What a sandbox's directory holds.
const (
	rootDir    = "root"    // its files, which commands see
	trashDir   = "trash"   // what was deleted of them
	homeDir    = "home"    // HOME of commands
	outputsDir = "outputs" // long outputs of commands; not part of snapshots
	stateFile  = "state.json"
)

// keptDirs are what a snapshot holds.
var keptDirs = []string{rootDir, trashDir, homeDir}

// pack writes directories below root as a tar stream. What is neither file, directory nor
// link, and what goes meanwhile, is left out; so is what cannot be read, which is counted.
func pack(ctx context.Context, root *os.Root, out io.Writer, dirs ...string) (skipped int, err error) {
	w := tar.NewWriter(out)
	for _, dir := range dirs {
		err := walk(ctx, root, dir, func(name string, info fs.FileInfo) error {
			err := packEntry(w, root, name, info)
			if errors.Is(err, fs.ErrPermission) {
				skipped++
				return nil
			}
			return err
		})
		if err != nil {
			return skipped, err
		}
	}
	return skipped, w.Close()
}

// walk calls fn for everything below dir, dir included. What goes meanwhile is left out,
// and so is the content of directories that cannot be read.
func walk(ctx context.Context, root *os.Root, dir string, fn func(string, fs.FileInfo) error) error {
	return fs.WalkDir(root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			var info fs.FileInfo
			if info, err = entry.Info(); err == nil {
				err = fn(name, info)
			}
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	})
}

func packEntry(w *tar.Writer, root *os.Root, name string, info fs.FileInfo) error {
	head := &tar.Header{Format: tar.FormatPAX, Name: name, Mode: int64(info.Mode().Perm()), ModTime: info.ModTime()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		head.Uid, head.Gid = int(stat.Uid), int(stat.Gid)
	}
	switch {
	case info.IsDir():
		head.Typeflag, head.Name = tar.TypeDir, name+"/"
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(name)
		if err != nil {
			return err
		}
		head.Typeflag, head.Linkname = tar.TypeSymlink, target
	case info.Mode().IsRegular():
		return packFile(w, root, name, head)
	default:
		return nil
	}
	return w.WriteHeader(head)
}

// packFile writes a file as long as it is when it is opened: one that becomes shorter
// meanwhile is filled with zeros.
func packFile(w *tar.Writer, root *os.Root, name string, head *tar.Header) error {
	// What became a pipe meanwhile does not make it wait.
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	head.Typeflag, head.Size = tar.TypeReg, info.Size()
	if err := w.WriteHeader(head); err != nil {
		return err
	}
	n, err := io.Copy(w, io.LimitReader(f, info.Size()))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	_, err = io.CopyN(w, zeros{}, info.Size()-n)
	return err
}

type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// unpack makes below root what a tar stream of pack holds: in some directories, or nil in any.
func unpack(ctx context.Context, in io.Reader, root *os.Root, allowed []string) error {
	var dirs []*tar.Header
	for r := tar.NewReader(in); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(head.Name, "/")
		top, _, _ := strings.Cut(name, "/")
		if !filepath.IsLocal(name) || path.Clean(name) != name || allowed != nil && !slices.Contains(allowed, top) {
			return fmt.Errorf("the snapshot holds the path %q, which is none of a sandbox", head.Name)
		}
		if head.Typeflag == tar.TypeDir {
			dirs = append(dirs, head)
		}
		if err := unpackEntry(root, name, head, r); err != nil {
			return fmt.Errorf("unpack %q: %w", head.Name, err)
		}
	}
	// Modes and times of directories come last: what is put into them changes the times,
	// and some may not be written to.
	for _, head := range slices.Backward(dirs) {
		name := strings.TrimSuffix(head.Name, "/")
		if err := errors.Join(root.Chmod(name, fs.FileMode(head.Mode).Perm()),
			root.Chtimes(name, head.ModTime, head.ModTime)); err != nil {
			return fmt.Errorf("unpack %q: %w", head.Name, err)
		}
	}
	return nil
}

func unpackEntry(root *os.Root, name string, head *tar.Header, content io.Reader) error {
	var err error
	switch head.Typeflag {
	case tar.TypeDir:
		err = root.Mkdir(name, 0o700)
	case tar.TypeSymlink:
		err = root.Symlink(head.Linkname, name)
	default:
		err = unpackFile(root, name, head, content)
	}
	if err != nil || os.Geteuid() != 0 {
		return err
	}
	return root.Lchown(name, head.Uid, head.Gid)
}

func unpackFile(root *os.Root, name string, head *tar.Header, content io.Reader) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err == nil {
		err = f.Chmod(fs.FileMode(head.Mode).Perm())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return root.Chtimes(name, head.ModTime, head.ModTime)
}

// fingerprint tells whether anything that a snapshot holds has changed.
func fingerprint(ctx context.Context, dir string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	sum := sha256.New()
	for _, kept := range keptDirs {
		if err := walk(ctx, root, kept, func(name string, info fs.FileInfo) error {
			describe(sum, name, info)
			return nil
		}); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}

func describe(sum hash.Hash, name string, info fs.FileInfo) {
	inode := uint64(0)
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		inode = stat.Ino
	}
	fmt.Fprintf(sum, "%q %v %d %d %d\n", name, info.Mode(), info.Size(), info.ModTime().UnixNano(), inode)
}
