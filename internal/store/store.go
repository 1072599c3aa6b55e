package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// Options say which database to open.
type Options struct {
	URL        string // empty: SQLite; postgres://… is not built yet
	SQLiteFile string // made, with its folder, where it is missing
	// Synchronous is SQLite's pragma: normal or full. Empty: normal.
	Synchronous string
	Logger      *slog.Logger     // slow statements; nil: slog.Default
	Now         func() time.Time // nil: time.Now
}

// Store is an open database. It is safe for many goroutines at once.
type Store struct {
	db      *gorm.DB // the writer: in SQLite a single connection
	readers *gorm.DB // sees what is committed, and cannot write
	dialect dialect
	now     func() models.Time
	counts  *counts
}

// Open opens the database and brings its tables up to date. It returns an *Error
// with CodeDatabaseTooNew where a newer program has changed the tables.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.URL != "" {
		return nil, invalid("database.url is set, but only the embedded SQLite database is built so far: " +
			"leave it empty")
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	d, err := newSQLite(o.SQLiteFile, o.Synchronous)
	if err != nil {
		return nil, err
	}
	counted := &counts{}
	db, readers, err := d.open(gormLog{o.Logger, counted})
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	s := &Store{db: db, readers: readers, dialect: d, counts: counted,
		now: func() models.Time { return models.TimeOf(o.Now()) }}
	if err := s.migrate(ctx, migrations(d)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close closes all connections. The transaction under way is finished.
func (s *Store) Close() error {
	s.dialect.close()
	if s.db == s.readers {
		return closePool(s.readers)
	}
	return errors.Join(closePool(s.readers), closePool(s.db))
}

func closePool(db *gorm.DB) error {
	pool, err := db.DB()
	if err != nil {
		return fmt.Errorf("close the database: %w", err)
	}
	if err := pool.Close(); err != nil {
		return fmt.Errorf("close the database: %w", err)
	}
	return nil
}

// Ping asks the database for an answer, through a writer and a reader.
func (s *Store) Ping(ctx context.Context) error {
	for _, db := range []*gorm.DB{s.readers, s.db} {
		pool, err := db.DB()
		if err == nil {
			err = pool.PingContext(ctx)
		}
		if err != nil {
			return fmt.Errorf("reach the database: %w", err)
		}
	}
	return nil
}

// Writable stores something, and returns why that cannot be done: storage_full, or
// what the database says.
func (s *Store) Writable(ctx context.Context) error {
	if err := s.tx(ctx, s.dialect.probe); err != nil {
		return fmt.Errorf("write to the database: %w", err)
	}
	return nil
}

// tx is InTx without the methods of Tx.
func (s *Store) tx(ctx context.Context, fn func(tx *gorm.DB) error) error {
	s.counts.transactions.Add(1)
	return coded(stopped(ctx, s.dialect.transaction(ctx, fn)))
}

// read is for queries outside of transactions.
func (s *Store) read(ctx context.Context) *gorm.DB { return s.readers.WithContext(ctx) }

// snapshot runs fn on one state of the database: what others commit meanwhile
// does not show between two of its queries.
func (s *Store) snapshot(ctx context.Context, fn func(tx *gorm.DB) error) error {
	options := &sql.TxOptions{ReadOnly: true, Isolation: s.dialect.snapshotIsolation()}
	return stopped(ctx, s.readers.WithContext(ctx).Transaction(fn, options))
}
