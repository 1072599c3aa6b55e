package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Lock keeps servers from changing the file and its secrets, until it is released.
func Lock(path string) (release func(), err error) { return lockDir(path) }

// lockDir keeps other processes that share the file from changing it, until it is released.
// It locks the directory, since a file that is replaced takes its lock along. A directory
// that cannot be opened, or a file system without locks, is not locked.
func lockDir(path string) (release func(), err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir, err := os.Open(filepath.Dir(path))
	if errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist) {
		return func() {}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("lock the configuration: %w", err)
	}
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Flock(int(dir.Fd()), unix.LOCK_EX)
	}
	if err != nil && !errors.Is(err, unix.ENOTSUP) && !errors.Is(err, unix.ENOLCK) && !errors.Is(err, unix.ENOSYS) {
		return nil, errors.Join(fmt.Errorf("lock the configuration: %w", err), dir.Close())
	}
	return func() { dir.Close() }, nil
}

// Editable says whether Write can change the file, as far as can be told without trying.
func (l *Live) Editable() bool {
	if l.fixed {
		return false
	}
	path, _ := l.source.File()
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return unix.Access(filepath.Dir(path), unix.W_OK) == nil && !isMounted(path)
}
