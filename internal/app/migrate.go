package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"nanoclaw/internal/config"
	"nanoclaw/internal/datadir"
	"nanoclaw/internal/store"
)

// Migrate copies what the SQLite database of an installation holds to an empty database of
// PostgreSQL, and compares both. No server may own the data directory meanwhile.
func Migrate(ctx context.Context, c *config.Config, to string, note func(store.Transferred)) (err error) {
	if _, err := os.Stat(c.DatabaseFile()); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no SQLite database at %s to be copied", c.DatabaseFile())
	}
	lock, err := datadir.Own(c.DataDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	logger := slog.New(slog.DiscardHandler)
	source, err := store.Open(ctx, store.Options{SQLiteFile: c.DatabaseFile(), Logger: logger})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := store.Open(ctx, store.Options{URL: to, MaxConnections: 4, Logger: logger})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	return store.Transfer(ctx, source, target, note)
}
