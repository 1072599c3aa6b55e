package backup

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
)

// copyDatabase writes a copy of a SQLite database as it is at one moment, also
// while another process writes to it. It leaves the tables as they are: store.Open
// would bring them up to date, and a backup before an update is the way back.
func copyDatabase(ctx context.Context, from, to string) error {
	if _, err := os.Stat(from); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no database at %s: nothing to back up", from)
		}
		return fmt.Errorf("look at the database: %w", err)
	}
	// VACUUM INTO fills an empty file; made here, so that only its owner can read it.
	f, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	err = vacuumInto(ctx, from, to)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("copy the database: %w", err), os.Remove(to))
	}
	return nil
}

func vacuumInto(ctx context.Context, from, to string) error {
	db, err := openDatabase(from)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", to)
	return errors.Join(err, db.Close())
}

// checkDatabase asks SQLite whether a file is whole.
func checkDatabase(ctx context.Context, file string) error {
	db, err := openDatabase(file)
	if err != nil {
		return err
	}
	var answer string
	err = db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&answer)
	if err == nil && answer != "ok" {
		err = errors.New(answer)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("the database of the backup is damaged: %w", err)
	}
	return nil
}

func openDatabase(file string) (*sql.DB, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: "mode=rw&_pragma=busy_timeout(10000)"}
	return sql.Open("sqlite", address.String())
}
