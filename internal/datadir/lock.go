// Package datadir owns the data directory: one process at a time, which says who it is
// and where its API is. It knows nothing of what lies in the directory.
package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lockName is the file in data_dir whose lock says that a process owns the data.
const lockName = "nanoclaw.lock"

// Owner is what a process that owns a data directory says about itself.
type Owner struct {
	PID int    `json:"pid"`
	URL string `json:"url,omitempty"` // of its API, once it serves
}

// LockedError says that another process owns the data directory.
type LockedError struct {
	Dir   string
	Owner Owner
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.Owner.PID != 0 {
		who = fmt.Sprintf("process %d", e.Owner.PID)
	}
	if e.Owner.URL != "" {
		who += ", which serves " + e.Owner.URL
	}
	return fmt.Sprintf("the data directory %s is owned by %s: stop it, or choose another data_dir", e.Dir, who)
}

// Lock is the ownership of a data directory. It is held for as long as the process
// lives; the system releases it when the process dies.
type Lock struct{ file *os.File }

// lockTimeout bounds the wait for the lock of an owner that is gone: a process that it
// had just forked keeps it until it runs a program of its own.
const lockTimeout = time.Second

// Own makes the data directory and becomes its owner, or returns a *LockedError.
func Own(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the data directory: %w", err)
	}
	if err := tryLock(dir, file); err != nil {
		file.Close()
		return nil, err
	}
	lock := &Lock{file: file}
	return lock, lock.Announce(Owner{PID: os.Getpid()})
}

func tryLock(dir string, file *os.File) error {
	for deadline := time.Now().Add(lockTimeout); ; time.Sleep(5 * time.Millisecond) {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return fmt.Errorf("lock the data directory %s: %w", dir, err)
		}
		owner := readOwner(file)
		gone := owner.PID != 0 && errors.Is(unix.Kill(owner.PID, 0), unix.ESRCH)
		if !gone || time.Now().After(deadline) {
			return &LockedError{Dir: dir, Owner: owner}
		}
	}
}

// Announce writes who owns the directory, for others to read.
func (l *Lock) Announce(owner Owner) error {
	text, err := json.Marshal(owner)
	if err != nil {
		return fmt.Errorf("describe the owner of the data directory: %w", err)
	}
	if err := l.file.Truncate(0); err != nil {
		return fmt.Errorf("write the lock of the data directory: %w", err)
	}
	if _, err := l.file.WriteAt(text, 0); err != nil {
		return fmt.Errorf("write the lock of the data directory: %w", err)
	}
	return nil
}

// Release ends the ownership at once, also where a process that was just
// forked still holds a copy of the descriptor.
func (l *Lock) Release() error {
	return errors.Join(unix.Flock(int(l.file.Fd()), unix.LOCK_UN), l.file.Close())
}

// readOwner is what the owner said about itself; the zero value where it said nothing.
func readOwner(file *os.File) Owner {
	var owner Owner
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 4096))
	if err == nil && json.Unmarshal(text, &owner) != nil {
		owner = Owner{}
	}
	return owner
}

// FindOwner says who owns a data directory; nil: nobody. It changes nothing there.
func FindOwner(dir string) (*Owner, error) {
	file, err := os.Open(filepath.Join(dir, lockName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look at the lock of the data directory: %w", err)
	}
	defer file.Close()
	err = tryLock(dir, file) // released with the descriptor
	var locked *LockedError
	if errors.As(err, &locked) {
		return &locked.Owner, nil
	}
	return nil, err
}
