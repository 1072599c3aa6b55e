package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	return replace(path, data, mode)
}

// replace puts a file as a whole in the place of another one.
func replace(path string, data []byte, mode fs.FileMode) error {
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

// Edited is what Edit makes of a file. Before is the configuration of the old text, nil
// where it made none, and After that of the new one.
type Edited struct {
	Text          []byte
	Before, After *Config
	Kept          []string // names of the secrets that were given, which Write keeps in SecretsFile

	secrets map[string]string // by name
}

// Write changes the file and puts the result in force at once. change gets the
// text of the file, empty where there is none yet, and answers the new one, best
// through Edit; its error is passed on and nothing is written. No other change of
// this process, or of another one that shares the file, comes in between. Secrets are
// written before the text that refers to them, and removed after the last one that did.
// An error of putting it in force, as Reload gives it, means that the file is written
// all the same.
func (l *Live) Write(change func(text []byte) (Edited, error)) error {
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
	if err := l.save(path, text, next); readOnly(err) {
		return fmt.Errorf("%s: %w (%w)", path, ErrReadOnly, err)
	} else if err != nil {
		return err
	}
	return l.reload()
}

func (l *Live) save(path string, text []byte, next Edited) error {
	kept, err := readSecrets(SecretsFile(path))
	if err != nil {
		return err
	}
	if err := kept.change(next.secrets, func(string) bool { return false }); err != nil {
		return err
	}
	if err := Save(path, next.Text); err != nil {
		// It may be in its place all the same, where only the directory could not be written.
		if now, readErr := os.ReadFile(path); readErr == nil && bytes.Equal(now, next.Text) {
			return err
		}
		return errors.Join(err, kept.change(nil, func(name string) bool { return next.secrets[name] != "" }))
	}
	err = kept.change(nil, func(name string) bool {
		return refersTo(text, name) && !refersTo(next.Text, name)
	})
	if err != nil {
		l.log.Warn("secrets that nothing refers to any more stay in their file", "error", err)
	}
	return nil
}

// refersTo reports whether a text has ${NAME} or ${NAME:-default}, comments included.
func refersTo(text []byte, name string) bool {
	return bytes.Contains(text, []byte("${"+name+"}")) || bytes.Contains(text, []byte("${"+name+":-"))
}

// Edit is Source.Edit with the source of l, but for secrets that are given as text: the
// new text refers to them by name, and Write keeps them.
func (l *Live) Edit(text []byte, changes map[string]any) (edited Edited, err error) {
	source, err := l.source.withSecrets()
	if err != nil {
		return Edited{}, err
	}
	path, _ := source.File()
	if edited.Before, _, err = source.Parse(text, path); err != nil {
		edited.Before = nil // a broken file that the change repairs
	}
	keeper := keeper{source, text, map[string]string{}}
	changes, err = keeper.takeAll(changes)
	if err != nil {
		return Edited{}, err
	}
	source.secrets = source.secrets.with(keeper.kept)
	edited.secrets, edited.Kept = keeper.kept, slices.Sorted(maps.Keys(keeper.kept))
	if edited.Text, err = source.Edit(text, changes); err != nil {
		return Edited{}, err
	}
	edited.After, _, err = source.Parse(edited.Text, path)
	return edited, err
}
