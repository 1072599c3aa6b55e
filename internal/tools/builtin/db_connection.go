package builtin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"

	"nanoclaw/internal/tools"
)

// openDB is a database that can be read and not written.
type openDB struct {
	kind string
	run  interface {
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}
	closers []func() error
}

func (s *dbSource) open(ctx context.Context) (*openDB, error) {
	if s.Kind == postgresKind {
		return openPostgres(ctx, s.Name, s.Address)
	}
	return openSQLite(ctx, s.Address)
}

// close gives everything back. Nothing was written, so its errors lose nothing.
func (db *openDB) close() {
	for i := len(db.closers) - 1; i >= 0; i-- {
		_ = db.closers[i]()
	}
}

func (db *openDB) onClose(close func() error) { db.closers = append(db.closers, close) }

// explain turns what an engine says into what helps a model.
func (db *openDB) explain(ctx context.Context, err error) error {
	var said *sqlite.Error
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errQueryTime
	case ctx.Err() != nil:
		return fmt.Errorf("query the database: %w", ctx.Err())
	case errors.As(err, &said) && said.Code() == sqlitelib.SQLITE_NOMEM:
		return errQuerySize
	}
	return tools.Errorf("query_failed", "the database says: %s", cutAtRune(err.Error(), 1000))
}

var (
	errQueryTime = tools.Errorf(tools.CodeTimeout, "the query was stopped")
	errQuerySize = tools.Errorf("too_large",
		"the query was stopped: it takes too much memory; select fewer and shorter values")
)
