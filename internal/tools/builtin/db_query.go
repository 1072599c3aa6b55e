package builtin

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"nanoclaw/internal/tools"
)

//go:embed db_query.md
var dbQueryDoc string

func init() {
	tools.Register(tools.Define("db_query", dbQueryDoc, dbQuery,
		tools.Category("database"), tools.Effect(tools.Reads), tools.Tailor(hasDatabases),
		tools.Stamp(func(ctx context.Context, call tools.Call, args dbQueryArgs) (string, error) {
			return args.stampDatabase(ctx, call, args.Database)
		})))
}

type dbQueryArgs struct {
	SQL      string `json:"sql" jsonschema:"one statement: SELECT, WITH, VALUES or EXPLAIN" minLength:"1" maxLength:"50000"`
	Database string `json:"database" access:"read,or=database" jsonschema:"path of an SQLite file, or the name of a configured database" minLength:"1"`
	databasePlace
}

type dbQueryResult struct {
	Columns   []string `json:"columns"`
	Rows      [][]any  `json:"rows"` // in the order of the columns
	RowCount  int      `json:"row_count"`
	Truncated bool     `json:"truncated"`
	Note      string   `json:"note,omitempty"`
}

const (
	dbTime    = 10 * time.Second
	dbRows    = 1000
	dbBytes   = 48 << 10 // of all values, where the call has no output limit
	dbCell    = 8 << 10  // bytes of one value
	dbColumns = 200
)

func dbQuery(ctx context.Context, call tools.Call, args dbQueryArgs) (dbQueryResult, error) {
	source, err := args.findDatabase(ctx, call, args.Database)
	if err != nil {
		return dbQueryResult{}, err
	}
	defer source.close()
	if err := checkStatement(args.SQL, source.Kind); err != nil {
		return dbQueryResult{}, err
	}
	limit := call.OutputLimit
	if limit <= 0 || limit > dbBytes {
		limit = dbBytes
	}
	return source.query(ctx, args.SQL, limit, dbTime)
}

// query runs a statement that was checked.
func (s *dbSource) query(ctx context.Context, statement string, limit int,
	within time.Duration) (dbQueryResult, error) {
	answer, err := dbTask{Source: s, SQL: strings.TrimSpace(statement), Limit: limit, Time: within}.do(ctx)
	if err != nil || answer.Query == nil {
		return dbQueryResult{}, err
	}
	return *answer.Query, nil
}
