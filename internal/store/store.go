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
	URL string // postgres://…; empty: SQLite
	// MaxConnections of this process to PostgreSQL; 0: 20.
	MaxConnections int
	SQLiteFile     string // made, with its folder, where it is missing
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
	log     *slog.Logger
	chainer *chainer // nil: the audit's rows are chained as they come
}

// Open opens the database and brings its tables up to date. It returns an *Error
// with CodeDatabaseTooNew where a newer program has changed the tables.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	d, err := newDialect(o)
	if err != nil {
		return nil, err
	}
	counted := &counts{}
	db, readers, err := d.open(ctx, gormLog{o.Logger, counted})
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	s := &Store{db: db, readers: readers, dialect: d, counts: counted, log: o.Logger,
		now: func() models.Time { return models.TimeOf(o.Now()) }}
	if err := s.migrate(ctx, migrations(d)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if s.dialect.shared() {
		s.startChainer()
	}
	return s, nil
}

func newDialect(o Options) (dialect, error) {
	if o.URL != "" {
		return newPostgres(o.URL, o.MaxConnections)
	}
	return newSQLite(o.SQLiteFile, o.Synchronous)
}

// Shared says whether other processes may work on the database at the same time.
func (s *Store) Shared() bool { return s.dialect.shared() }

// Close closes all connections. The transaction under way is finished.
func (s *Store) Close() error {
	s.chainer.close()
	s.dialect.close()
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
			return fmt.Errorf("reach the database: %w", translate(db, err))
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
// Now is the time that rows expire by.
func (s *Store) Now() time.Time { return s.now().Std() }

func (s *Store) tx(ctx context.Context, fn func(tx *gorm.DB) error) error {
	s.counts.transactions.Add(1)
	return patiently(ctx, func() error {
		return coded(stopped(ctx, s.dialect.transaction(ctx, func(tx *gorm.DB) error { return fn(carryLevel(ctx, tx)) })))
	})
}

// read is for queries outside of transactions.
func (s *Store) read(ctx context.Context) *gorm.DB { return s.readers.WithContext(ctx) }

// snapshot runs fn on one state of the database: what others commit meanwhile
// does not show between two of its queries.
func (s *Store) snapshot(ctx context.Context, fn func(tx *gorm.DB) error) error {
	options := &sql.TxOptions{ReadOnly: true, Isolation: s.dialect.snapshotIsolation()}
	return patiently(ctx, func() error { return stopped(ctx, transact(ctx, s.readers, options, fn)) })
}

// transact runs fn in a transaction on a connection of its own. The end of ctx stops its
// statements, and rolls it back where fn has not returned by then; the connection stays.
func transact(ctx context.Context, db *gorm.DB, options *sql.TxOptions, fn func(tx *gorm.DB) error) error {
	pool, err := db.DB()
	if err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return translate(db, err)
	}
	defer conn.Close()
	session := db.Session(&gorm.Session{NewDB: true, Context: context.WithoutCancel(ctx)})
	session.Statement.ConnPool = conn
	committing := false
	err = session.Transaction(func(tx *gorm.DB) error {
		if err := fn(tx.WithContext(ctx)); err != nil {
			return err
		}
		committing = ctx.Err() == nil
		return ctx.Err()
	}, options)
	if err != nil {
		err = translate(db, err) // fn may have read rows by hand
	}
	if committing && IsCode(err, CodeUnavailable) {
		return &Error{Code: CodeUnavailable, Message: err.Error(), cause: err, unsure: true}
	}
	return err
}

// translate is for errors that did not pass through gorm.
func translate(db *gorm.DB, err error) error {
	if translator, ok := db.Dialector.(gorm.ErrorTranslator); ok {
		return translator.Translate(err)
	}
	return err
}
