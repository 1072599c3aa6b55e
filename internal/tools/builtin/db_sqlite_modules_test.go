package builtin

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/tools"
)

// BT11: what the engine tells about itself and the server stays hidden, whether
// the look at the statement sees the name or not.
func TestTheEnginesOwnTablesAreHidden(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "shop.db")
	makeDatabase(t, path, "DELETE", shop+`CREATE VIEW files AS SELECT * FROM pragma_database_list; CREATE VIEW pages AS SELECT pgno FROM sqlite_dbpage;
		CREATE VIRTUAL TABLE sizes USING dbstat; CREATE TABLE pragmatic (a); INSERT INTO pragmatic VALUES ('pragma_ is a word');
		CREATE VIRTUAL TABLE notes USING fts5(body); INSERT INTO notes VALUES ('to be found'); CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1); INSERT INTO boxes VALUES (1, 2, 3);`)
	source := &dbSource{Kind: sqliteKind, Name: "shop.db", Address: path}
	names := append([]string{"pragma_database_list", "pragma_table_info('customers')", "pragma_module_list",
		"pragma_hard_heap_limit(1)", "main.pragma_function_list"}, hiddenModules...)
	for _, name := range names {
		table, arguments, _ := strings.Cut(name, "(")
		if arguments != "" {
			arguments = "(" + arguments
		}
		schema, table, found := strings.Cut(table, ".")
		if !found {
			schema, table = "", schema
		} else {
			schema += "."
		}
		for _, quotes := range []string{"%s", `"%s"`, "[%s]", "`%s`", "'%s'"} {
			for _, written := range []string{table, strings.ToUpper(table), strings.ToUpper(table[:1]) + table[1:]} {
				for _, form := range []string{"SELECT * FROM %s", "WITH x AS (SELECT * FROM/**/%s) SELECT * FROM x",
					"SELECT (SELECT count(*) FROM customers,%s)", "EXPLAIN SELECT * FROM (%s)"} {
					statement := fmt.Sprintf(form, schema+fmt.Sprintf(quotes, written)+arguments)
					if err := checkStatement(statement, sqliteKind); tools.CodeOf(err) != "read_only" ||
						!strings.Contains(err.Error(), written) {
						t.Errorf("%s: %v", statement, err)
					}
				}
			}
		}
		statement := "SELECT * FROM " + name
		if result, err := source.query(t.Context(), statement, dbBytes,
			time.Minute); tools.CodeOf(err) != "query_failed" {
			t.Errorf("the engine has %s: %v, %v", name, result.Rows, err)
		}
	}
	for statement, want := range map[string]string{
		"SELECT * FROM files": "", "SELECT * FROM pages": "", "SELECT * FROM sizes": "",
		"SELECT * FROM pragmatic": "[[pragma_ is a word]]", "SELECT 'a pragma_x' FROM pragmatic": "[[a pragma_x]]",
		"SELECT body FROM notes WHERE notes MATCH 'found'": "[[to be found]]",
		"SELECT id FROM boxes WHERE x0 < 3":                "[[1]]",
		"SELECT value FROM json_each('[5]')":               "[[5]]",
	} {
		if err := checkStatement(statement, sqliteKind); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
		result, err := source.query(t.Context(), statement, dbBytes, time.Minute)
		if (err == nil) != (want != "") || (want != "" && fmt.Sprint(result.Rows) != want) {
			t.Errorf("%s: %v, %v", statement, result.Rows, err)
		}
		if err != nil && strings.Contains(err.Error(), path) {
			t.Errorf("%s: the message shows the path: %v", statement, err)
		}
	}
	if err := checkStatement("SELECT * FROM pragma_x", postgresKind); err != nil {
		t.Errorf("PostgreSQL has no such tables of its own: %v", err)
	}
}

// BT11: every table that this version of the engine offers by itself is looked at.
func TestEveryPragmaTableOfTheEngineIsHidden(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "shop.db")
	db := makeDatabase(t, path, "DELETE", shop)
	source := &dbSource{Kind: sqliteKind, Name: "shop.db", Address: path}
	rows, err := db.QueryContext(t.Context(), "SELECT name FROM pragma_pragma_list")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		all = append(all, name)
	}
	if len(all) < 50 {
		t.Fatalf("there are %d", len(all))
	}
	for _, name := range all {
		if result, err := source.query(t.Context(), "SELECT * FROM Pragma_"+name, dbBytes,
			time.Minute); tools.CodeOf(err) != "query_failed" {
			t.Errorf("%s: %v, %v", name, result.Rows, err)
		}
	}
}
