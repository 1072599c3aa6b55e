package builtin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"nanoclaw/internal/tools"
)

// openPostgres begins a read-only transaction on a connection of its own, so
// that nothing of one query lives on in the next. The engine refuses writes and,
// since statements are prepared, more than one of them. What the role may read,
// and which functions it may call, is the database's business: give it a role
// that may read no more than it should.
func openPostgres(ctx context.Context, name, address string) (_ *openDB, err error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		// and may hold a password
		return nil, tools.Errorf(tools.CodeUnavailable, "the configured url of the database %q is not valid", name)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	config.ConnectTimeout = dbTime
	limit := strconv.FormatInt(dbTime.Milliseconds(), 10)
	for setting, value := range map[string]string{
		"application_name": "nanoclaw db_query", "default_transaction_read_only": "on", "statement_timeout": limit,
		"lock_timeout": limit, "idle_in_transaction_session_timeout": limit,
	} {
		config.RuntimeParams[setting] = value
	}
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(1)
	db := &openDB{kind: postgresKind}
	db.onClose(pool.Close)
	defer func() {
		if err != nil {
			db.close()
		}
	}()
	connecting, cancel := context.WithTimeout(ctx, dbTime)
	defer cancel()
	if err := pool.PingContext(connecting); err != nil {
		return nil, postgresFailure(ctx, name, err)
	}
	tx, err := pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, postgresFailure(ctx, name, err)
	}
	db.onClose(tx.Rollback)
	db.run = tx
	return db, nil
}

// postgresFailure says why there is no connection, without the address: it may
// hold a password.
func postgresFailure(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("connect to the database: %w", ctx.Err())
	}
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return tools.Errorf(tools.CodeUnavailable, "the database %q refuses the connection: %s", name, said.Message)
	}
	return tools.Errorf(tools.CodeUnavailable, "the database %q cannot be reached", name)
}
