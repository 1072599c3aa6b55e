package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	driver "modernc.org/sqlite"
	sqlitecode "modernc.org/sqlite/lib"
)

// sqliteDB is the embedded database: one file in WAL mode, one writing connection
// and a pool of reading ones.
type sqliteDB struct {
	file        string
	synchronous string       // normal or full
	group       *groupWriter // nil: open for reading alone
}

var _ dialect = (*sqliteDB)(nil)

func newSQLite(file, synchronous string) (*sqliteDB, error) {
	if file == "" {
		return nil, invalid("the name of the SQLite file is empty")
	}
	switch synchronous {
	case "":
		synchronous = "normal"
	case "normal", "full":
	default:
		return nil, invalid("synchronous is %q: use normal or full", synchronous)
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("find the SQLite file: %w", err)
	}
	return &sqliteDB{file: file, synchronous: synchronous}, nil
}

func (d *sqliteDB) open(_ context.Context, log gormLog) (*gorm.DB, *gorm.DB, error) {
	if err := d.touch(); err != nil {
		return nil, nil, err
	}
	// A crash of the process loses nothing with synchronous=NORMAL; a power cut
	// may lose the last transactions, never the file. FULL flushes every commit.
	writer, err := d.pool(log, 1, url.Values{
		"_txlock": {"immediate"}, "_journal_mode": {"WAL"}, "_synchronous": {d.synchronous}, "_foreign_keys": {"on"},
		"_pragma": {
			"journal_size_limit(67108864)", // what a long reader made grow is given back
			"temp_store(MEMORY)",           // savepoints copy pages, in files else
			"wal_autocheckpoint(4000)",     // in pages: 16 MB; pages that change often are copied back less often
		},
	})
	if err != nil {
		return nil, nil, err
	}
	readers, err := d.openReaders(log)
	if err != nil {
		return nil, nil, errors.Join(err, closePool(writer))
	}
	d.group = newGroupWriter(writer, log.counts)
	return writer, readers, nil
}

func (d *sqliteDB) openReadOnly(_ context.Context, log gormLog) (*gorm.DB, error) {
	if _, err := os.Stat(d.file); errors.Is(err, fs.ErrNotExist) {
		return nil, invalid("there is no database at %s", d.file)
	}
	return d.openReaders(log)
}

func (d *sqliteDB) openReaders(log gormLog) (*gorm.DB, error) {
	return d.pool(log, min(max(4, 2*runtime.GOMAXPROCS(0)), 16), url.Values{"_query_only": {"on"}})
}

// touch makes the file where it is missing, for its owner's eyes only. SQLite
// gives its side files the same mode.
func (d *sqliteDB) touch() error {
	if err := os.MkdirAll(filepath.Dir(d.file), 0o700); err != nil {
		return fmt.Errorf("make the database's folder: %w", err)
	}
	f, err := os.OpenFile(d.file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open the database file: %w", err)
	}
	return f.Close()
}

func (d *sqliteDB) pool(log gormLog, size int, params url.Values) (*gorm.DB, error) {
	connector, err := newPreparing(d.dsn(params))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", d.file, err)
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	db, err := gorm.Open(&sqliteDialector{&sqlite.Dialector{DriverName: "sqlite", Conn: pool}, d.file}, &gorm.Config{
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		TranslateError:         true,
		Logger:                 log,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", d.file, err), pool.Close())
	}
	return db, nil
}

func (d *sqliteDB) dsn(params url.Values) string {
	params.Set("_busy_timeout", "10000")
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(d.file), RawQuery: params.Encode()}).String()
}

// sqliteDialector understands the errors of the pure Go driver, which gorm's own
// dialector does not.
type sqliteDialector struct {
	*sqlite.Dialector
	file string
}

func (d sqliteDialector) Translate(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	switch code := e.Code(); code {
	case sqlitecode.SQLITE_CONSTRAINT_UNIQUE, sqlitecode.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", gorm.ErrDuplicatedKey, err)
	case sqlitecode.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("%w: %w", gorm.ErrForeignKeyViolated, err)
	case sqlitecode.SQLITE_INTERRUPT: // the driver interrupts what the end of a context stops, and nobody else does
		return fmt.Errorf("%w: %w", context.Canceled, err)
	default:
		// A full disk also shows as a failed write, or as one of the shared index.
		if code == sqlitecode.SQLITE_FULL || code&0xff == sqlitecode.SQLITE_IOERR && d.diskFull() {
			return fmt.Errorf("%w: %w", errFull, err)
		}
	}
	return err
}

func (d sqliteDialector) diskFull() bool {
	var stat unix.Statfs_t
	err := unix.Statfs(filepath.Dir(d.file), &stat)
	return err == nil && (int64(stat.Bavail)*int64(stat.Bsize) < minFree || stat.Files > 0 && stat.Ffree == 0)
}

// minFree is the room below which a failed write is one of a full disk.
const minFree = 256 << 10

// probe writes a page of the file: only a write shows that there is room for one.
func (d *sqliteDB) probe(tx *gorm.DB) error {
	var version int
	if err := tx.Raw("PRAGMA user_version").Scan(&version).Error; err != nil {
		return err
	}
	return tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", version+1)).Error
}

// transaction takes the write lock when it begins, so it never has to be
// repeated: what it reads cannot change before it writes.
func (d *sqliteDB) transaction(ctx context.Context, fn func(tx *gorm.DB) error) error {
	if d.group == nil {
		return invalid("the database is open for reading alone")
	}
	return d.group.do(ctx, fn)
}

func (d *sqliteDB) close() {
	if d.group != nil {
		d.group.close()
	}
}

func (d *sqliteDB) snapshotIsolation() sql.IsolationLevel { return sql.LevelDefault }

// serialize has nothing to do: there is one writer at a time.
func (d *sqliteDB) serialize(*gorm.DB, string) error { return nil }

// shared is false: one process owns the file, by the lock of its data directory.
func (d *sqliteDB) shared() bool { return false }

var sqliteTypes = strings.NewReplacer("$AUTO_ID", "INTEGER PRIMARY KEY AUTOINCREMENT", "$BLOB", "BLOB")

func (d *sqliteDB) schema(statement string) string { return sqliteTypes.Replace(statement) }

// migrate needs no lock: each migration is a transaction, and these are one at a time.
func (d *sqliteDB) migrate(db *gorm.DB, fn func(db *gorm.DB, inTransaction bool) error) error {
	return fn(db, false)
}

func (d *sqliteDB) foreign(tables string) string {
	return fmt.Sprintf("the database file belongs to another program, perhaps to the original nanoClaw (it has the "+
		"tables %s): it was left as it is. Name another file in database.sqlite_file (db_sqlite_file of the original), "+
		"or remove the key, and a new one is made in data_dir. Conversations of the original cannot be read: keep its "+
		"file, and run the original beside this server to look at them", tables)
}

// searchSchema is an index without the text itself: the terms come from
// searchPieces, which the ascii tokenizer only has to separate at spaces.
func (d *sqliteDB) searchSchema() []string {
	return []string{
		`CREATE VIRTUAL TABLE search_index USING fts5(terms, content='', contentless_delete=1, tokenize='ascii', prefix='1 2 3')`,
	}
}

func (d *sqliteDB) indexDocument(tx *gorm.DB, id int64, userID string, terms []string) error {
	text := ownerTerm(userID) + " " + strings.Join(terms, " ")
	return tx.Exec("INSERT INTO search_index (rowid, terms) VALUES (?, ?)", id, text).Error
}

func (d *sqliteDB) removeDocuments(tx *gorm.DB, ids []int64) error {
	return tx.Exec("DELETE FROM search_index WHERE rowid IN ?", ids).Error
}

func (d *sqliteDB) matching(tx *gorm.DB, q searchTerms, before int64, limit int) *gorm.DB {
	query := tx.Table("search_index").Select("rowid AS id").
		Where("search_index MATCH ? AND rowid < ?", matchExpression(q), before).Order("rowid DESC").Limit(limit)
	return q.within(query, "search_index.rowid")
}

// matchExpression is the query in FTS5's language. Terms consist of letters,
// digits and symbols beyond ASCII alone, so nothing in them can end the quotes.
func matchExpression(q searchTerms) string {
	parts := []string{q.ownersIn(`"`, " OR ")}
	for _, term := range q.terms {
		if pieces := pairs(term.text); term.unspaced && len(pieces) > 0 {
			parts = append(parts, `"`+strings.Join(pieces, " ")+`"`)
			continue
		}
		parts = append(parts, `"`+term.text+`"*`)
	}
	return strings.Join(parts, " AND ")
}

// ownerTerm stands in every document of a user, so that the index itself keeps
// users apart. No text has it: the sign is no letter.
func ownerTerm(userID string) string { return "¶" + strings.ReplaceAll(userID, "-", "") }

// backup is a reader: writers go on beside it.
func (d *sqliteDB) backup(ctx context.Context, path string) error {
	pool, err := sql.Open("sqlite", d.dsn(url.Values{}))
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, "VACUUM INTO ?", path)
	return errors.Join(err, pool.Close())
}
