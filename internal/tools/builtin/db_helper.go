package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"nanoclaw/internal/tools"
)

// dbHelper reads databases. No limit of an engine bounds everything: a search in
// one long value looks at no deadline, a hundred values of the greatest length
// take gigabytes, and a row from PostgreSQL arrives as a whole. Limits on values
// that are low enough for that would keep honest databases from being read, so
// the bound is the process, and the engines' limits give clear errors before it.
var dbHelper = &helper{
	name: "db", memory: 512 << 20, stack: 64 << 20, answer: 16 << 20,
	file: maxDatabase, // of one that SQLite sorts with and nobody else sees
	inherits: func(variable string) bool { // what the configured URLs rely on
		return variable == "HOME" || strings.HasPrefix(variable, "PG") || strings.HasPrefix(variable, "SSL_CERT_")
	},
	work: answerDB,
}

// dbGrace is how long an engine may take to stop by itself when the time is up.
const dbGrace = 500 * time.Millisecond

// dbTask is what the helper process is given; without SQL it lists the tables.
type dbTask struct {
	Source *dbSource     `json:"source"`
	SQL    string        `json:"sql,omitempty"`
	Limit  int           `json:"limit,omitempty"` // bytes of all values
	Time   time.Duration `json:"time"`
}

// dbAnswer is what it answers: one of Query, Schema and a failure with its code.
type dbAnswer struct {
	Query   *dbQueryResult  `json:"query,omitempty"`
	Schema  *dbSchemaResult `json:"schema,omitempty"`
	Code    string          `json:"code,omitempty"`
	Failure string          `json:"failure,omitempty"`
}

// do has the helper process do the task.
func (t dbTask) do(ctx context.Context) (dbAnswer, error) {
	var answer dbAnswer
	input, err := json.Marshal(t)
	if err != nil {
		return answer, fmt.Errorf("hand the query over: %w", err)
	}
	err = dbHelper.run(ctx, input, t.Time+dbGrace, &answer)
	switch {
	case errors.Is(err, errHelperTime), err == nil && answer.Code == tools.CodeTimeout:
		return answer, tools.Errorf(tools.CodeTimeout, "the query was stopped after %v: narrow it down", t.Time)
	case errors.Is(err, errHelperDied):
		return answer, errQuerySize
	case err != nil:
		return answer, fmt.Errorf("query the database: %w", err)
	case answer.Code != "":
		return answer, &tools.Error{Code: answer.Code, Message: answer.Failure}
	}
	return answer, nil
}

// answerDB does the task. It is called in the helper process alone.
func answerDB(in []byte) (any, error) {
	var task dbTask
	if err := json.Unmarshal(in, &task); err != nil {
		return nil, fmt.Errorf("read the task: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), task.Time)
	defer cancel()
	answer, err := task.answer(ctx)
	if err != nil {
		return dbAnswer{Code: tools.CodeOf(err), Failure: err.Error()}, nil
	}
	return answer, nil
}

func (t dbTask) answer(ctx context.Context) (answer dbAnswer, err error) {
	if t.SQL != "" && t.Source.Kind == sqliteKind {
		if err := hideSQLiteModules(ctx); err != nil {
			return answer, err
		}
	}
	db, err := t.Source.open(ctx)
	if err != nil {
		return answer, err
	}
	defer db.close()
	if t.SQL == "" {
		schema, err := db.schema(ctx)
		return dbAnswer{Schema: &schema}, err
	}
	result, err := db.query(ctx, t.SQL, t.Limit)
	return dbAnswer{Query: &result}, err
}
