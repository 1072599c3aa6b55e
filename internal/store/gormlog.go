package store

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"gorm.io/gorm/logger"
)

// slowStatement is from when on a statement is worth a line in the log.
const slowStatement = 200 * time.Millisecond

// gormLog counts statements and writes slow ones to slog, without their values: those
// may be secret. Errors are returned to the caller, so they are not logged here.
type gormLog struct {
	log    *slog.Logger
	counts *counts
}

var _ logger.Interface = gormLog{}

func (l gormLog) LogMode(logger.LogLevel) logger.Interface { return l }

func (l gormLog) Info(ctx context.Context, msg string, data ...any) {}

func (l gormLog) Warn(ctx context.Context, msg string, data ...any) {
	l.log.WarnContext(ctx, "database: "+fmt.Sprintf(msg, data...))
}

func (l gormLog) Error(ctx context.Context, msg string, data ...any) {
	l.log.ErrorContext(ctx, "database: "+fmt.Sprintf(msg, data...))
}

func (l gormLog) Trace(ctx context.Context, begin time.Time, statement func() (sql string, rows int64), err error) {
	l.counts.statements.Add(1)
	took := time.Since(begin)
	if took < slowStatement {
		return
	}
	sql, rows := statement()
	l.log.WarnContext(ctx, "slow database statement", "sql", sql, "rows", rows, "duration", took)
}

// ParamsFilter keeps values out of the log.
func (l gormLog) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) {
	return sql, nil
}
