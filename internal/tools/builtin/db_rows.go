package builtin

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"nanoclaw/internal/tools"
)

// query runs a statement that was checked and reads rows until one of the bounds.
func (db *openDB) query(ctx context.Context, statement string, limit int) (dbQueryResult, error) {
	rows, err := db.run.QueryContext(ctx, statement)
	if err != nil {
		return dbQueryResult{}, db.explain(ctx, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return dbQueryResult{}, db.explain(ctx, err)
	}
	if len(columns) > dbColumns {
		return dbQueryResult{}, tools.Errorf("too_large",
			"the result has %d columns; at most %d are read: name the ones you need", len(columns), dbColumns)
	}
	result := dbQueryResult{Columns: columns, Rows: [][]any{}}
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for room := limit; rows.Next(); {
		if err := rows.Scan(targets...); err != nil {
			return dbQueryResult{}, db.explain(ctx, err)
		}
		row, size, cut := cells(values)
		if len(result.Rows) == dbRows || (room < size && len(result.Rows) > 0) {
			result.Truncated = true
			result.Note = fmt.Sprintf(
				"these are the first %d rows: narrow the query down, or read on with LIMIT and OFFSET",
				len(result.Rows))
			break
		}
		if cut && result.Note == "" {
			result.Note = fmt.Sprintf("values longer than %d bytes are cut: read on with substr()", dbCell)
		}
		result.Truncated = result.Truncated || cut
		room -= size
		result.Rows = append(result.Rows, row)
	}
	if err := rows.Err(); err != nil && !result.Truncated {
		return dbQueryResult{}, db.explain(ctx, err)
	}
	result.RowCount = len(result.Rows)
	return result, nil
}

// cells turns a row into what JSON can hold; size is about its length.
func cells(values []any) (row []any, size int, cut bool) {
	row = make([]any, len(values))
	for i, value := range values {
		cell := cellOf(value)
		if text, isText := cell.(string); isText {
			if len(text) > dbCell {
				cell, cut = cutAtRune(text, dbCell)+"…", true
			}
			size += min(len(text), dbCell)
		}
		row[i] = cell
		size += 8
	}
	return row, size, cut
}

func cellOf(value any) any {
	switch value := value.(type) {
	case []byte:
		if utf8.Valid(value) {
			return string(value)
		}
		return fmt.Sprintf("x'%s' (%d bytes)", hex.EncodeToString(value[:min(len(value), 32)]), len(value))
	case string:
		if !utf8.ValidString(value) {
			return cellOf([]byte(value))
		}
	case time.Time:
		return value.Format(time.RFC3339Nano)
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Sprint(value)
		}
	case float32:
		return cellOf(float64(value))
	case nil, bool, int64, int32, int16, int8, int, uint64, uint32, uint16, uint8, uint:
	default:
		return fmt.Sprint(value)
	}
	return value
}
