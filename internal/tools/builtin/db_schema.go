package builtin

import (
	"context"
	_ "embed"
	"fmt"

	"nanoclaw/internal/tools"
)

//go:embed db_schema.md
var dbSchemaDoc string

func init() {
	tools.Register(tools.Define("db_schema", dbSchemaDoc, dbSchema,
		tools.Category("database"), tools.Effect(tools.Reads), tools.Tailor(hasDatabases),
		tools.Stamp(func(ctx context.Context, call tools.Call, args dbSchemaArgs) (string, error) {
			return args.stampDatabase(ctx, call, args.Database)
		})))
}

type dbSchemaArgs struct {
	Database string `json:"database" access:"read,or=database" jsonschema:"path of an SQLite file, or the name of a configured database" minLength:"1"`
	databasePlace
}

type dbSchemaResult struct {
	Kind      string    `json:"kind"` // sqlite | postgres
	Tables    []dbTable `json:"tables"`
	Truncated bool      `json:"truncated"`
}

type dbTable struct {
	Name    string     `json:"name"` // with its schema where that is not the usual one
	Type    string     `json:"type"` // table | view
	Columns []dbColumn `json:"columns"`
}

type dbColumn struct {
	Name       string `json:"name"`
	Type       string `json:"type"`
	Nullable   bool   `json:"nullable"`
	PrimaryKey bool   `json:"primary_key,omitempty"`
	Default    string `json:"default,omitempty"`
	References string `json:"references,omitempty"` // table(column)
}

// maxSchemaColumns is how many columns of all tables together are listed.
const maxSchemaColumns = 2000

// The columns of all tables, in order: table, type, column, its type, nullable,
// part of the primary key, default, what it references.
const (
	sqliteSchema = `SELECT t.name, t.type, c.name, c.type, c."notnull" = 0 AND c.pk = 0, c.pk > 0, c.dflt_value,
	(SELECT f."table" || coalesce('(' || f."to" || ')', '') FROM pragma_foreign_key_list(t.name) f WHERE f."from" = c.name LIMIT 1)
FROM sqlite_schema t JOIN pragma_table_info(t.name) c
WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
ORDER BY t.name, c.cid`

	postgresSchema = `SELECT CASE WHEN n.nspname = 'public' THEN t.relname ELSE n.nspname || '.' || t.relname END,
	CASE WHEN t.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END,
	c.attname, format_type(c.atttypid, c.atttypmod), NOT c.attnotnull,
	coalesce((SELECT c.attnum = ANY (k.conkey) FROM pg_constraint k WHERE k.conrelid = t.oid AND k.contype = 'p'), false),
	pg_get_expr(d.adbin, d.adrelid),
	(SELECT k.confrelid::regclass::text || '(' || (SELECT attname FROM pg_attribute WHERE attrelid = k.confrelid AND attnum = k.confkey[1]) || ')'
	 FROM pg_constraint k WHERE k.conrelid = t.oid AND k.contype = 'f' AND k.conkey = ARRAY[c.attnum] LIMIT 1)
FROM pg_class t
JOIN pg_namespace n ON n.oid = t.relnamespace
JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = c.attnum
WHERE t.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_%'
	AND has_table_privilege(t.oid, 'SELECT')
ORDER BY 1, c.attnum`
)

func dbSchema(ctx context.Context, call tools.Call, args dbSchemaArgs) (dbSchemaResult, error) {
	source, err := args.findDatabase(ctx, call, args.Database)
	if err != nil {
		return dbSchemaResult{}, err
	}
	defer source.close()
	answer, err := dbTask{Source: source, Time: dbTime}.do(ctx)
	if err != nil || answer.Schema == nil {
		return dbSchemaResult{}, err
	}
	return *answer.Schema, nil
}

func (db *openDB) schema(ctx context.Context) (dbSchemaResult, error) {
	query := sqliteSchema
	if db.kind == postgresKind {
		query = postgresSchema
	}
	rows, err := db.run.QueryContext(ctx, query)
	if err != nil {
		return dbSchemaResult{}, db.explain(ctx, err)
	}
	defer rows.Close()
	result := dbSchemaResult{Kind: db.kind, Tables: []dbTable{}}
	for columns := 0; rows.Next(); columns++ {
		if columns == maxSchemaColumns {
			result.Truncated = true
			break
		}
		var table, kind string
		var column dbColumn
		var defaultValue, references *string
		if err := rows.Scan(&table, &kind, &column.Name, &column.Type, &column.Nullable, &column.PrimaryKey,
			&defaultValue, &references); err != nil {
			return dbSchemaResult{}, fmt.Errorf("read the schema: %w", err)
		}
		if defaultValue != nil {
			column.Default = cutAtRune(*defaultValue, 200)
		}
		if references != nil {
			column.References = *references
		}
		if last := len(result.Tables) - 1; last < 0 || result.Tables[last].Name != table {
			result.Tables = append(result.Tables, dbTable{Name: table, Type: kind})
		}
		last := &result.Tables[len(result.Tables)-1]
		last.Columns = append(last.Columns, column)
	}
	if err := rows.Err(); err != nil {
		return dbSchemaResult{}, db.explain(ctx, err)
	}
	return result, nil
}
