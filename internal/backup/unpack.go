package backup

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// unpacker writes the entries of an archive below its roots, out of which nothing leads.
type unpacker struct {
	data, workspaces, trees *os.Root

	directories []tar.Header // of projects, whose modes and times come last
}

func (u *unpacker) visit(h *tar.Header, content io.Reader) error {
	root, name := u.data, h.Name
	below, isProject := strings.CutPrefix(h.Name, archiveProjects+"/")
	tree, _, inTree := strings.Cut(h.Name, "/")
	if isProject {
		root, name = u.workspaces, strings.TrimSuffix(below, "/")
	} else if inTree && slices.Contains(dataTrees, tree) {
		root, name = u.trees, strings.TrimSuffix(h.Name, "/")
	}
	var err error
	switch {
	case name == "":
	case h.Typeflag == tar.TypeDir && root == u.trees:
		err = root.Mkdir(name, 0o700)
	case h.Typeflag == tar.TypeDir:
		err = root.Mkdir(name, 0o700)
		u.directories = append(u.directories, tar.Header{Name: name, Mode: h.Mode, ModTime: h.ModTime})
	case h.Typeflag == tar.TypeSymlink:
		err = root.Symlink(h.Linkname, name)
	default:
		err = unpackFile(root, name, h, content)
	}
	if err != nil {
		return fmt.Errorf("unpack %q: %w", h.Name, err)
	}
	return nil
}

func unpackFile(root *os.Root, name string, h *tar.Header, content io.Reader) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err == nil {
		err = f.Chmod(os.FileMode(h.Mode).Perm())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return root.Chtimes(name, h.ModTime, h.ModTime)
}

// finish gives directories their modes and times, the deepest ones first.
func (u *unpacker) finish() error {
	for i := len(u.directories) - 1; i >= 0; i-- {
		d := u.directories[i]
		err := u.workspaces.Chmod(d.Name, os.FileMode(d.Mode).Perm())
		if err == nil {
			err = u.workspaces.Chtimes(d.Name, d.ModTime, d.ModTime)
		}
		if err != nil {
			return fmt.Errorf("unpack %q: %w", d.Name, err)
		}
	}
	unix.Sync() // once is much faster than for each file
	return nil
}
