package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrReadOnly says that the server may not change the file: it is mounted read-only, or
// somebody else's.
var ErrReadOnly = errors.New("this server cannot write it: change it where it comes from, and every server that " +
	"reads it follows within 5 s")

// readOnly says whether a file cannot be replaced however often that is tried.
func readOnly(err error) bool {
	for _, code := range []error{syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.EBUSY, syscall.EXDEV} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// Save writes a file as a whole: a reader sees the old or the new content, never
// a part, also after a crash. The file keeps its permissions; a new one is
// readable by its owner alone. A symbolic link stays, its target is replaced.
func Save(path string, data []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(0o600)
	switch info, err := os.Stat(path); {
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("save configuration: %w", err)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("save configuration: %w", err)
	}
	err = fill(temp, data, mode)
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("save configuration: %w", errors.Join(err, os.Remove(temp.Name())))
	}
	return syncDir(filepath.Dir(path))
}

func fill(f *os.File, data []byte, mode fs.FileMode) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("save configuration: %w", err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("save configuration: %w", err)
	}
	return nil
}

// Write changes the file and puts the result in force at once. change gets the
// text of the file, empty where there is none yet, and answers the new one, best
// through Edit; its error is passed on and nothing is written. No other change of
// this process, or of another one that shares the file, comes in between. An error of putting it in force, as Reload gives
// it, means that the file is written all the same.
func (l *Live) Write(change func(text []byte) ([]byte, error)) error {
	l.reloading.Lock()
	defer l.reloading.Unlock()
	if l.fixed {
		return errors.New("save configuration: there is no file")
	}
	path, _ := l.source.File()
	release, err := lockDir(path)
	if err != nil {
		return err
	}
	defer release()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read configuration: %w", err)
	}
	next, err := change(text)
	if err != nil {
		return err
	}
	if err := Save(path, next); readOnly(err) {
		return fmt.Errorf("%s: %w (%w)", path, ErrReadOnly, err)
	} else if err != nil {
		return err
	}
	return l.reload()
}

// Edit is Source.Edit with the source of l. It also returns the configurations that
// the text made before and makes after it; before is nil where it made none.
func (l *Live) Edit(text []byte, changes map[string]any) (edited []byte, before, after *Config, err error) {
	if edited, err = l.source.Edit(text, changes); err != nil {
		return nil, nil, nil, err
	}
	path, _ := l.source.File()
	if after, _, err = l.source.Parse(edited, path); err != nil {
		return nil, nil, nil, err
	}
	if before, _, err = l.source.Parse(text, path); err != nil {
		before = nil // a broken file that the change repairs
	}
	return edited, before, after, nil
}
