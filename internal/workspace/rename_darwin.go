package workspace

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames oldName in the directory from to newName in the directory
// to, and fails with fs.ErrExist where something is there already. Names are
// single components, so that no link is followed. Other processes can slip in
// between the look and the rename.
func renameNew(from *os.Root, oldName string, to *os.Root, newName string) error {
	fromDir, err := from.Open(".")
	if err != nil {
		return err
	}
	defer fromDir.Close()
	toDir, err := to.Open(".")
	if err != nil {
		return err
	}
	defer toDir.Close()
	if _, err := to.Lstat(newName); err == nil {
		return fs.ErrExist
	}
	return unix.Renameat(int(fromDir.Fd()), oldName, int(toDir.Fd()), newName)
}

// exchange is not made here.
func exchange(*os.Root, string, *os.Root, string) error { return errors.ErrUnsupported }
