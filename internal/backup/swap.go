package backup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// swap moves files and directories one after the other, all or, as far as the
// system lets it, none. Each move stays inside of one file system.
type swap struct {
	moves  []fileMove
	asides []string // directories that take what was there before
}

type fileMove struct{ from, to string }

func (s *swap) move(from, to string) { s.moves = append(s.moves, fileMove{from, to}) }

// aside moves what is there into a directory, which is made; nothing where nothing is.
func (s *swap) aside(from, dir string) {
	if _, err := os.Lstat(from); errors.Is(err, os.ErrNotExist) {
		return
	}
	if !slices.Contains(s.asides, dir) {
		s.asides = append(s.asides, dir)
	}
	s.move(from, filepath.Join(dir, filepath.Base(from)))
}

// run does all moves. After an error it takes back those that were done; what
// cannot be taken back is part of the error.
func (s *swap) run() error {
	for _, dir := range s.asides {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	for i, m := range s.moves {
		if err := rename(m); err != nil {
			for _, done := range slices.Backward(s.moves[:i]) {
				err = errors.Join(err, rename(fileMove{done.to, done.from}))
			}
			for _, dir := range s.asides {
				err = errors.Join(err, os.Remove(dir))
			}
			return err
		}
	}
	var err error
	for _, m := range s.moves {
		err = errors.Join(err, syncDirectory(filepath.Dir(m.to)))
	}
	return err
}

// rename never replaces what is there.
func rename(m fileMove) error {
	if _, err := os.Lstat(m.to); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("move %s: %s is there already", m.from, m.to)
	}
	return os.Rename(m.from, m.to)
}

// syncDirectory waits until the disk knows the names in a directory.
func syncDirectory(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
