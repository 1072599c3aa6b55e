package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

const (
	// oldestPostgres is the oldest major version that the tables and queries are tested with.
	oldestPostgres = 14
	// defaultConnections of one process, where Options say nothing.
	defaultConnections = 20
	// connectTimeout bounds the first connection; a server that does not answer is reported then.
	connectTimeout = 5 * time.Second
	// maxRepeats is how often a transaction is repeated that the database has given up.
	maxRepeats = 10
	// migrationLock is the advisory lock of whoever changes the tables.
	migrationLock = 0x6e616e6f636c6177 // "nanoclaw"
)

// postgresDB is a database of a PostgreSQL server: one pool of connections, which several
// processes may have at the same time. Transactions run at READ COMMITTED: what a
// transaction decides on, it locks (clause.Locking), so that writers of different runs do
// not disturb each other.
type postgresDB struct {
	config      *pgx.ConnConfig
	connections int
	counts      *counts
	db          *gorm.DB
}

var _ dialect = (*postgresDB)(nil)

func newPostgres(url string, connections int) (*postgresDB, error) {
	config, err := parsePostgresURL(url)
	if err != nil {
		return nil, err
	}
	if connections <= 0 {
		connections = defaultConnections
	}
	return &postgresDB{config: config, connections: connections}, nil
}

func (d *postgresDB) open(ctx context.Context, log gormLog) (*gorm.DB, *gorm.DB, error) {
	pool := sql.OpenDB(postgresConnector(d.config))
	pool.SetMaxOpenConns(d.connections)
	pool.SetMaxIdleConns(d.connections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	if err := d.check(ctx, pool); err != nil {
		return nil, nil, errors.Join(err, pool.Close())
	}
	db, err := gorm.Open(postgresDialector{&postgres.Dialector{Config: &postgres.Config{Conn: pool}}}, &gorm.Config{
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		TranslateError:         true,
		Logger:                 log,
	})
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open the database: %w", err), pool.Close())
	}
	d.counts, d.db = log.counts, db
	readers := db.Session(&gorm.Session{NewDB: true, Context: context.Background()})
	readers.Statement.ConnPool = &patientPool{pool, func(err error) error { return translate(db, err) }}
	return db, readers, nil
}

func (d *postgresDB) openReadOnly(ctx context.Context, log gormLog) (*gorm.DB, error) {
	d.config.RuntimeParams["default_transaction_read_only"] = "on"
	_, readers, err := d.open(ctx, log)
	return readers, err
}

// check makes the first connection, and says what has to be done where that fails.
func (d *postgresDB) check(ctx context.Context, pool *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout+time.Second)
	defer cancel()
	var version int
	err := pool.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version)
	if err != nil {
		return d.connectError(err)
	}
	if version < oldestPostgres*10000 {
		return invalid("%s is PostgreSQL %d.%d, which is too old: update the server to version %d or newer", d.place(),
			version/10000, version%10000, oldestPostgres)
	}
	return nil
}

// transaction repeats what the database has given up because of another transaction.
func (d *postgresDB) transaction(ctx context.Context, fn func(tx *gorm.DB) error) error {
	for repeats := 0; ; repeats++ {
		err := transact(ctx, d.db, &sql.TxOptions{Isolation: sql.LevelReadCommitted}, fn)
		if err == nil {
			d.counts.commits.Add(1)
			return nil
		}
		if repeats == maxRepeats || !repeatable(err) {
			return err
		}
		d.counts.repeats.Add(1)
		select {
		case <-time.After(time.Duration(1+rand.IntN(5<<min(repeats, 5))) * time.Millisecond):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// serialize keeps transactions of all processes one behind the other. Locks of rows cannot
// do that where rows are counted.
func (d *postgresDB) serialize(tx *gorm.DB, name string) error {
	if err := tx.Exec("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", "nanoclaw "+name).Error; err != nil {
		return fmt.Errorf("wait for others who change the %s: %w", name, err)
	}
	return nil
}

func (d *postgresDB) close() {}

func (d *postgresDB) shared() bool { return true }

// probe fails where the server takes no writes, such as one that copies another.
func (d *postgresDB) probe(tx *gorm.DB) error {
	var id string
	return tx.Raw("SELECT pg_current_xact_id()::text").Scan(&id).Error
}

func (d *postgresDB) snapshotIsolation() sql.IsolationLevel { return sql.LevelRepeatableRead }

// schema makes texts compare byte by byte, as in SQLite, whatever language the database
// was made for.
func (d *postgresDB) schema(statement string) string {
	return postgresTypes.Replace(statement)
}

// migrate runs fn in a transaction that other processes wait for.
func (d *postgresDB) migrate(db *gorm.DB, fn func(db *gorm.DB, inTransaction bool) error) error {
	return db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec("SELECT pg_advisory_xact_lock(?)", int64(migrationLock)).Error; err != nil {
			return fmt.Errorf("wait for others who change the tables: %w", err)
		}
		return fn(tx, true)
	})
}

func (d *postgresDB) foreign(tables string) string {
	return fmt.Sprintf("%s holds the tables of another program (%s), and none of nanoclaw's: it was left as it is. "+
		"Name an empty database in database.url", d.place(), tables)
}

// place names the database without its password.
func (d *postgresDB) place() string {
	return fmt.Sprintf("the database %q of %s:%d", d.config.Database, d.config.Host, d.config.Port)
}

func (d *postgresDB) backup(context.Context, string) error {
	return invalid(
		"%s is backed up by PostgreSQL's own tools: pg_dump -Fc writes a backup, pg_restore brings it back, "+
			"and nanoclaw doctor checks the result",
		d.place(),
	)
}
