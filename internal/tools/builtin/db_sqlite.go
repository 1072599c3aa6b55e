package builtin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// maxDatabase is the greatest project database that is read, bytes.
const maxDatabase = 256 << 20

// openSQLite opens a file that the server may read. The engine itself refuses
// every write: the file is opened read-only, the connection is query_only, no
// further database can be attached (which VACUUM INTO needs too), and what a
// schema brings along is not trusted with anything that has an effect.
func openSQLite(ctx context.Context, path string) (_ *openDB, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, tools.Errorf(tools.CodeUnavailable, "the file of the database cannot be read")
	}
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + url.Values{
		"mode": {"ro"}, "_defensive": {"1"}, "_query_only": {"on"}, "_busy_timeout": {"2000"},
		"_pragma": {"trusted_schema(0)", "cell_size_check(1)", "mmap_size(0)"},
	}.Encode()
	pool, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	db := &openDB{kind: sqliteKind}
	db.onClose(pool.Close)
	defer func() {
		if err != nil {
			db.close()
		}
	}()
	connection, err := pool.Conn(ctx)
	if err != nil {
		return nil, tools.Errorf("query_failed", "the file cannot be opened as an SQLite database: %s",
			cutAtRune(err.Error(), 300))
	}
	db.onClose(connection.Close)
	for id, limit := range sqliteLimits {
		if _, err := sqlite.Limit(connection, id, limit); err != nil {
			return nil, fmt.Errorf("limit the database connection: %w", err)
		}
	}
	db.run = connection
	return db, nil
}

// sqliteLimits are for clear errors; what a statement may cost is bounded by the
// process that it runs in. A table may have any number of columns and values of
// this length, or the rest of its database could not be read either.
// https://www.sqlite.org/c3ref/c_limit_attached.html
var sqliteLimits = map[int]int{
	sqlitelib.SQLITE_LIMIT_ATTACHED:            0,
	sqlitelib.SQLITE_LIMIT_LENGTH:              16 << 20, // bytes of a value or a row
	sqlitelib.SQLITE_LIMIT_SQL_LENGTH:          64 << 10,
	sqlitelib.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 200,
	sqlitelib.SQLITE_LIMIT_WORKER_THREADS:      0,
}

// copyProjectDatabase makes a private copy of a project's file: whatever kind of
// file system the project has, nothing is followed out of it, nothing is written
// beside the file, and nobody who writes it is disturbed.
func (p fileProject) copyProjectDatabase(ctx context.Context, call tools.Call, path string) (_ *dbSource, err error) {
	files, err := p.open(ctx, call)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "nanoclaw-db-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the copy: %w", err)
	}
	source := &dbSource{Kind: sqliteKind, Name: path, Address: filepath.Join(dir, "copy.db"),
		remove: func() error { return os.RemoveAll(dir) }}
	defer func() {
		if err != nil {
			err = errors.Join(err, source.remove())
		}
	}()
	if err := copyQuiet(ctx, files, path, source.Address); err != nil {
		return nil, err
	}
	return source, nil
}

// copyTries is how often a copy is begun again because the database was written
// meanwhile.
const copyTries = 5

// copyQuiet copies a database with its write-ahead log, both as they were at one
// moment. Its rollback journal is not taken: it names files that the engine would
// touch. While one is in use the file is in the middle of a change.
func copyQuiet(ctx context.Context, files workspace.Filesystem, path, to string) error {
	for range copyTries {
		before, err := databaseStamp(ctx, files, path)
		if err != nil {
			return err
		}
		if err := copyFile(ctx, files, path, to, sqliteHeader); err != nil {
			return err
		}
		if err := copyFile(ctx, files, path+"-wal", to+"-wal", ""); err != nil && !hasFileCode(err,
			workspace.CodeNotFound) {
			return err
		}
		after, err := databaseStamp(ctx, files, path)
		if err != nil {
			return err
		}
		if busy, err := inTransaction(ctx, files, path); err != nil {
			return err
		} else if before == after && !busy {
			return nil
		}
		if err := os.Remove(to + "-wal"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove the copy: %w", err)
		}
	}
	return tools.Errorf(tools.CodeUnavailable,
		"the database is being written by another program: try again in a moment")
}

const (
	sqliteHeader  = "SQLite format 3\x00"
	journalHeader = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
)

// inTransaction says whether a rollback journal is in use.
func inTransaction(ctx context.Context, files workspace.Filesystem, path string) (bool, error) {
	head, err := files.Read(ctx, path+"-journal", 0, int64(len(journalHeader)))
	if hasFileCode(err, workspace.CodeNotFound) {
		return false, nil
	}
	return string(head.Data) == journalHeader, err
}

func copyFile(ctx context.Context, files workspace.Filesystem, path, to, header string) (err error) {
	source, entry, err := files.Download(ctx, path)
	if err != nil {
		return err
	}
	defer source.Close()
	if entry.Size > maxDatabase {
		return fileError(workspace.CodeTooLarge, path, "the database has %d bytes; at most %d are read", entry.Size,
			maxDatabase)
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	head := make([]byte, len(header))
	n, err := io.ReadFull(source, head)
	if err != nil && n > 0 || string(head[:n]) != header[:n] {
		return fileError(workspace.CodeInvalidArgument, path, "it is not an SQLite database")
	}
	if _, err := target.Write(head[:n]); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	if _, err := io.Copy(target, io.LimitReader(source, maxDatabase)); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return nil
}
