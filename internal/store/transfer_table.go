package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm"
)

// transferTable is a table of both databases.
type transferTable struct {
	name    string
	columns []string
	kinds   []string // of the target's columns, in PostgreSQL's words
}

// tables are all of the source but those of the engine, each behind those that it refers to.
func (t *transfer) tables(ctx context.Context) ([]transferTable, error) {
	var names []string
	err := t.from.read(ctx).Raw(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
		AND name NOT LIKE 'search_index%' AND name NOT IN ('migrations', 'leases') ORDER BY name`).Scan(&names).Error
	if err != nil {
		return nil, fmt.Errorf("read which tables there are: %w", err)
	}
	var tables []transferTable
	var add func(name string) error
	add = func(name string) error {
		if slices.ContainsFunc(tables, func(t transferTable) bool { return t.name == name }) {
			return nil
		}
		var parents []string
		err := t.from.read(ctx).Raw(`SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)`, name).Scan(&parents).Error
		if err != nil {
			return err
		}
		for _, parent := range parents {
			if err := add(parent); err != nil {
				return err
			}
		}
		table, err := t.describe(ctx, name)
		tables = append(tables, table)
		return err
	}
	for _, name := range names {
		if err := add(name); err != nil {
			return nil, fmt.Errorf("read how the table %s is made: %w", name, err)
		}
	}
	return tables, nil
}

func (t *transfer) describe(ctx context.Context, name string) (transferTable, error) {
	table := transferTable{name: name}
	var columns []struct{ ColumnName, DataType string }
	err := t.to.read(ctx).Raw(`SELECT column_name, data_type FROM information_schema.columns
		WHERE table_schema = CURRENT_SCHEMA() AND table_name = ? ORDER BY ordinal_position`, name).Scan(&columns).Error
	for _, column := range columns {
		table.columns, table.kinds = append(table.columns, column.ColumnName), append(table.kinds, column.DataType)
	}
	if err == nil && len(columns) == 0 {
		err = errors.New("the target does not have it")
	}
	return table, err
}

// copy copies the rows that are not there yet, in batches.
func (t *transfer) copy(ctx context.Context, table transferTable) error {
	for {
		batch, last, err := t.batch(ctx, table, t.state.Rows[table.name])
		if err != nil || len(batch) == 0 {
			return err
		}
		before := t.state.Rows[table.name]
		t.state.Rows[table.name] = last
		err = t.to.tx(ctx, func(tx *gorm.DB) error {
			if err := table.insert(tx, batch); err != nil {
				return err
			}
			if table.name == "search_documents" {
				ids := make([]int64, len(batch))
				for i, row := range batch {
					ids[i] = row[slices.Index(table.columns, "id")].(int64)
				}
				if err := t.index(ctx, tx, ids); err != nil {
					return err
				}
			}
			return t.save(tx)
		})
		if err != nil {
			t.state.Rows[table.name] = before
			return err
		}
	}
}

// batch reads rows of the source behind one of them, and the number of the last.
func (t *transfer) batch(ctx context.Context, table transferTable, after int64) (batch [][]any, last int64, err error) {
	rows, err := t.from.read(ctx).Raw("SELECT rowid, "+quoted(table.columns)+" FROM "+quoted([]string{table.name})+
		" WHERE rowid > ? ORDER BY rowid LIMIT ?", after, transferRows).Rows()
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for size := 0; size < transferBytes && rows.Next(); {
		row, bytes, err := table.scan(rows, &last)
		if err != nil {
			return nil, 0, err
		}
		batch, size = append(batch, row), size+bytes
	}
	return batch, last, rows.Err()
}

// scan reads a row, behind other values, as the target stores it.
func (table transferTable) scan(rows *sql.Rows, before ...any) (row []any, size int, err error) {
	row = make([]any, len(table.columns))
	into := before
	for i := range row {
		into = append(into, &row[i])
	}
	if err := rows.Scan(into...); err != nil {
		return nil, 0, err
	}
	for i, value := range row {
		if row[i], err = stored(value, table.kinds[i]); err != nil {
			return nil, 0, fmt.Errorf("column %s: %w", table.columns[i], err)
		}
		switch value := row[i].(type) {
		case string:
			size += len(value)
		case []byte:
			size += len(value)
		}
	}
	return row, size, nil
}

// stored is a value as a column of PostgreSQL holds it.
func stored(value any, kind string) (any, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case int64:
		switch kind {
		case "boolean":
			return v != 0, nil
		case "double precision":
			return float64(v), nil
		case "bigint", "integer":
			return v, nil
		}
	case bool:
		if kind == "boolean" {
			return v, nil
		}
	case float64:
		if kind == "double precision" {
			return v, nil
		}
	case string:
		return textOrBytes(v, kind)
	case []byte:
		return textOrBytes(string(v), kind)
	}
	return nil, fmt.Errorf("it holds %T, where the copy has %s", value, kind)
}

func textOrBytes(text, kind string) (any, error) {
	switch kind {
	case "text", "character varying":
		return storableText(text), nil
	case "bytea":
		return []byte(text), nil
	}
	return nil, fmt.Errorf("it holds a text, where the copy has %s", kind)
}

func (table transferTable) insert(tx *gorm.DB, batch [][]any) error {
	row := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(table.columns)), ", ") + ")"
	for part := range slices.Chunk(batch, max(60_000/len(table.columns), 1)) { // a statement has 65,535 arguments
		values := make([]any, 0, len(part)*len(table.columns))
		for _, one := range part {
			values = append(values, one...)
		}
		err := tx.Exec("INSERT INTO "+quoted([]string{table.name})+" ("+quoted(table.columns)+") VALUES "+row+
			strings.Repeat(", "+row, len(part)-1), values...).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// compare returns how many rows both databases have, or says that they differ.
func (t *transfer) compare(ctx context.Context, table transferTable) (int64, error) {
	count, sum, err := table.checksum(ctx, t.from)
	if err != nil {
		return 0, err
	}
	copied, copiedSum, err := table.checksum(ctx, t.to)
	switch {
	case err != nil:
		return 0, err
	case count != copied:
		return 0, fmt.Errorf("the copy has %d rows, not %d: empty the target and begin again", copied, count)
	case sum != copiedSum:
		return 0, errors.New("the rows of the copy differ from the original: empty the target and begin again")
	}
	return count, nil
}

// checksum is the same for the same rows in any order.
func (table transferTable) checksum(ctx context.Context, s *Store) (count int64, sum uint64, err error) {
	rows, err := s.read(ctx).Raw("SELECT " + quoted(table.columns) + " FROM " + quoted([]string{table.name})).Rows()
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	digest := sha256.New()
	for rows.Next() {
		row, _, err := table.scan(rows)
		if err != nil {
			return 0, 0, err
		}
		digest.Reset()
		for _, value := range row {
			hashValue(digest, value)
		}
		count, sum = count+1, sum+binary.BigEndian.Uint64(digest.Sum(nil))
	}
	return count, sum, rows.Err()
}

func hashValue(digest hash.Hash, value any) {
	text := ""
	switch v := value.(type) {
	case nil:
		text = "n"
	case string:
		text = "t" + v
	case []byte:
		text = "b" + string(v)
	case float64:
		text = "f" + strconv.FormatFloat(v, 'g', -1, 64)
	default:
		text = fmt.Sprintf("%T%v", v, v)
	}
	fmt.Fprintf(digest, "%d:%s,", len(text), text)
}
