package store

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Backup writes a copy of the database as it is at one moment to a new file,
// readable for its owner alone, while the store goes on working. A file of that
// name that exists already is a conflict.
func (s *Store) Backup(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return conflict("%s exists already: choose another name for the backup", path)
	} else if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("look at the backup's place: %w", err)
	}
	partial := path + ".partial"
	if err := s.backup(ctx, partial); err != nil {
		return errors.Join(fmt.Errorf("back up the database: %w", err), removeIfThere(partial))
	}
	if err := os.Rename(partial, path); err != nil {
		return fmt.Errorf("back up the database: %w", err)
	}
	return nil
}

// backup fills an empty file of its own and waits until the disk has it.
func (s *Store) backup(ctx context.Context, path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = s.dialect.backup(ctx, path)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove an unfinished backup: %w", err)
	}
	return nil
}
