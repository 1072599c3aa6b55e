package workspace

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames oldName in the directory from to newName in the directory
// to, and fails with fs.ErrExist where something is there already. Names are
// single components, so that no link is followed.
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

	err = unix.Renameat2(int(fromDir.Fd()), oldName, int(toDir.Fd()), newName, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		// The file system does not know the flag; other processes can then slip
		// in between the look and the rename.
		if _, err := to.Lstat(newName); err == nil {
			return fs.ErrExist
		}
		err = unix.Renameat(int(fromDir.Fd()), oldName, int(toDir.Fd()), newName)
	}
	return err
}

// exchange swaps two names at once; errors.ErrUnsupported where the file system cannot.
func exchange(one *os.Root, oneName string, other *os.Root, otherName string) error {
	oneDir, err := one.Open(".")
	if err != nil {
		return err
	}
	defer oneDir.Close()
	otherDir, err := other.Open(".")
	if err != nil {
		return err
	}
	defer otherDir.Close()
	err = unix.Renameat2(int(oneDir.Fd()), oneName, int(otherDir.Fd()), otherName, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return errors.ErrUnsupported
	}
	return err
}
