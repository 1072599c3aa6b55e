package builtin

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// namedDatabases are what config.yml would name.
type namedDatabases map[string]string

func (d namedDatabases) Database(name string) (string, bool) {
	address, known := d[name]
	return address, known
}

func (d namedDatabases) DatabaseNames() []string {
	names := []string{}
	for name := range d {
		names = append(names, name)
	}
	return names
}

const shop = `CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT DEFAULT 'DE', score REAL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers(id), total NUMERIC, photo BLOB);
CREATE VIEW big AS SELECT * FROM orders WHERE total > 100;
INSERT INTO customers VALUES (1, 'Ada', 'UK', 1.5), (2, '林', 'CN', NULL), (3, 'Bo; DROP', 'DE', 9007199254740993);
INSERT INTO orders VALUES (1, 1, 120, x'ff00'), (2, 2, 9007199254740993, 'text');`

// makeDatabase writes an SQLite file. In WAL mode the content stays in the log.
func makeDatabase(t testing.TB, path, mode, script string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	if _, err := db.ExecContext(t.Context(), "PRAGMA journal_mode="+mode+"; PRAGMA wal_autocheckpoint=0;"+
		script); err != nil {
		t.Fatal(err)
	}
	return db
}

// dbDesk is a desk whose project has shop.db.
func dbDesk(t *testing.T, mode string) *desk {
	t.Helper()
	d := newDesk(t)
	makeDatabase(t, filepath.Join(d.root, "shop.db"), mode, shop)
	return d
}

func (d *desk) sql(t *testing.T, statement string) (string, error) {
	t.Helper()
	result, err := d.run(t, "db_query", map[string]any{"sql": statement, "database": "shop.db"})
	if err != nil {
		return "", err
	}
	encoded, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded), nil
}

// BT11
func TestAProjectsSQLiteFileIsQueried(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"DELETE", "WAL", "PERSIST"} {
		d := dbDesk(t, mode)
		for statement, want := range map[string]string{
			"SELECT id, name, score FROM customers ORDER BY id": `{"columns":["id","name","score"],"rows":[[1,"Ada",1.5],[2,"林",null],[3,"Bo; DROP",9007199254740992]],"row_count":3,"truncated":false}`,
			" select total, photo from orders ; -- the end\n":   `{"columns":["total","photo"],"rows":[[120,"x'ff00' (2 bytes)"],[9007199254740993,"text"]],"row_count":2,"truncated":false}`,
			"WITH x AS (SELECT 1 AS a) SELECT a, ';' FROM x":    `{"columns":["a","';'"],"rows":[[1,";"]],"row_count":1,"truncated":false}`,
			"VALUES (1), (2)":                     `{"columns":["column1"],"rows":[[1],[2]],"row_count":2,"truncated":false}`,
			"/* a; b */ SELECT count(*) FROM big": `{"columns":["count(*)"],"rows":[[2]],"row_count":1,"truncated":false}`,
			"SELECT * FROM customers WHERE 0":     `{"columns":["id","name","country","score"],"rows":[],"row_count":0,"truncated":false}`,
		} {
			if got, err := d.sql(t, statement); err != nil || got != want {
				t.Errorf("%s: %s\n got %s, %v\nwant %s", mode, statement, got, err, want)
			}
		}
		if got, err := d.sql(t, "EXPLAIN QUERY PLAN SELECT * FROM customers"); err != nil || !strings.Contains(got,
			"SCAN customers") {
			t.Errorf("%s, %v", got, err)
		}
		names, _ := filepath.Glob(filepath.Join(d.root, "*"))
		for _, name := range names {
			if base := filepath.Base(name); mode != "WAL" && base != "shop.db" && base != "shop.db-journal" {
				t.Errorf("a query left %s in the project", base)
			}
		}
	}
}

// BT11: the engine keeps what is read unchanged.
func TestNothingIsWrittenThroughAQuery(t *testing.T) {
	t.Parallel()
	d := dbDesk(t, "DELETE")
	other := filepath.Join(t.TempDir(), "other.db")
	makeDatabase(t, other, "DELETE", "CREATE TABLE secret (a)")
	before, err := os.ReadFile(filepath.Join(d.root, "shop.db"))
	if err != nil {
		t.Fatal(err)
	}
	for statement, code := range map[string]string{
		"DELETE FROM customers":                                       "read_only",
		"INSERT INTO customers(name) VALUES ('x')":                    "read_only",
		"UPDATE customers SET name = 'x'":                             "read_only",
		"DROP TABLE customers":                                        "read_only",
		"CREATE TEMP TABLE x (a)":                                     "read_only",
		"PRAGMA query_only = 0":                                       "read_only",
		"PRAGMA hard_heap_limit = 1":                                  "read_only",
		"EXPLAIN PRAGMA hard_heap_limit = 1":                          "read_only",
		"EXPLAIN EXPLAIN SELECT 1":                                    "read_only",
		"ATTACH '" + other + "' AS o":                                 "read_only",
		"VACUUM INTO '" + d.root + "/copy.db'":                        "read_only",
		"BEGIN IMMEDIATE":                                             "read_only",
		"/* SELECT */ DELETE FROM customers":                          "read_only",
		"-- SELECT\nDELETE FROM customers":                            "read_only",
		"(SELECT 1)":                                                  "read_only",
		"\ufeffDELETE FROM customers":                                 "read_only",
		"":                                                            "invalid_arguments",
		" -- nothing":                                                 "invalid_arguments",
		"SELECT 1; DELETE FROM customers":                             "invalid_arguments",
		"SELECT 1;;/* x */; PRAGMA query_only = 0":                    "invalid_arguments",
		"SELECT 'a''; b'; SELECT 2":                                   "invalid_arguments",
		"SELECT \"a\"\"\"; SELECT 2":                                  "invalid_arguments",
		"SELECT [a'] FROM x; SELECT 2":                                "invalid_arguments",
		"SELECT 1 -- '\n; SELECT 2":                                   "invalid_arguments",
		"SELECT $a$; DELETE FROM customers --$a$":                     "invalid_arguments",
		"SELECT E'\\'; DELETE FROM customers --'":                     "invalid_arguments",
		"WITH x AS (SELECT 1) DELETE FROM customers":                  "query_failed",
		"WITH x AS (SELECT 1) INSERT INTO customers(name) SELECT 'x'": "query_failed",
		"EXPLAIN ATTACH 'x' AS y":                                     "read_only",
		"SELECT load_extension('/tmp/x.so')":                          "query_failed",
		"SELECT writefile('/tmp/x', 'y')":                             "query_failed",
		"SELECT fts3_tokenizer('x', x'00')":                           "query_failed",
		"SELECT * FROM nowhere":                                       "query_failed",
		"SELECT zeroblob(100000000)":                                  "query_failed",
	} {
		if got, err := d.sql(t, statement); err == nil || tools.CodeOf(err) != code {
			t.Errorf("%s: %s, %v (%s), want %s", statement, got, err, tools.CodeOf(err), code)
		}
	}
	after, err := os.ReadFile(filepath.Join(d.root, "shop.db"))
	if err != nil || string(after) != string(before) {
		t.Errorf("the file has changed: %v", err)
	}
}

// BT11: the engine refuses by itself what the look at the statement refuses first.
func TestTheEngineItselfRefusesToWriteAndToAttach(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "odd ?#%20name.db")
	makeDatabase(t, strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path), "WAL", shop).Close()
	db, err := openSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	for _, statement := range []string{
		"DELETE FROM customers", "CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)", "ATTACH '" + path + "' AS o",
		"ATTACH ':memory:' AS o",
		"VACUUM", "VACUUM INTO '" + filepath.Join(dir, "copy.db") + "'", "PRAGMA user_version = 7", "DROP VIEW big",
	} {
		rows, err := db.run.QueryContext(t.Context(), statement)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			rows.Close()
		}
		if err == nil {
			t.Errorf("%s worked", statement)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "copy.db")); err == nil {
		t.Error("a copy was written")
	}
}

// BT11
func TestAResultIsReadUpToItsBounds(t *testing.T) {
	t.Parallel()
	d := dbDesk(t, "DELETE")
	result := must[dbQueryResult](t, d, "db_query", map[string]any{"database": "shop.db",
		"sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"})
	if result.RowCount != dbRows || !result.Truncated || !strings.Contains(result.Note, "first 1000 rows") {
		t.Errorf("%d rows, %v, %s", result.RowCount, result.Truncated, result.Note)
	}
	long := must[dbQueryResult](t, d, "db_query", map[string]any{"database": "shop.db",
		"sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, hex(zeroblob(1000)) FROM n"})
	if long.RowCount > dbBytes/2000 || long.RowCount < 10 || !long.Truncated {
		t.Errorf("%d rows", long.RowCount)
	}
	wide := must[dbQueryResult](t, d, "db_query", map[string]any{"database": "shop.db",
		"sql": "SELECT replace(hex(zeroblob(100000)), '0', '林')"})
	if text := wide.Rows[0][0].(string); len(text) > dbCell+3 || !wide.Truncated || !strings.Contains(wide.Note,
		"substr") {
		t.Errorf("%d bytes, %v", len(text), wide.Note)
	}
}

// BT11
func TestADatabaseThatIsNoneSaysWhatItIs(t *testing.T) {
	t.Parallel()
	d := dbDesk(t, "DELETE")
	d.put(t, "notes.txt", "just text")
	d.put(t, "empty.db", "")
	d.put(t, "broken.db", sqliteHeader+strings.Repeat("\xff", 5000))
	d.put(t, "busy.db", sqliteHeader)
	d.put(t, "busy.db-journal", journalHeader+"…")
	if err := os.Symlink("/etc", filepath.Join(d.root, "out")); err != nil {
		t.Fatal(err)
	}
	for path, code := range map[string]string{
		"notes.txt": "invalid_arguments", "empty.db": "query_failed", "broken.db": "query_failed",
		"missing.db": "not_found", "busy.db": "unavailable",
		"../shop.db": "access_denied", "/etc/passwd": "access_denied", "out/passwd": "access_denied", ".": "not_a_file",
	} {
		if got := d.fail(t, code, "db_query", map[string]any{"database": path,
			"sql": "SELECT * FROM t"}); strings.Contains(got, os.TempDir()) {
			t.Errorf("%s: the message shows the host's path: %s", path, got)
		}
	}
	if err := os.Truncate(filepath.Join(d.root, "shop.db"), maxDatabase+1); err != nil {
		t.Fatal(err)
	}
	d.fail(t, "too_large", "db_query", map[string]any{"database": "shop.db", "sql": "SELECT 1"})
}

// BT11
func TestTheSchemaOfASQLiteFileIsListed(t *testing.T) {
	t.Parallel()
	d := dbDesk(t, "WAL")
	result := must[dbSchemaResult](t, d, "db_schema", map[string]any{"database": "shop.db"})
	encoded, err := json.Marshal(result.Tables[1:])
	want := `[{"name":"customers","type":"table","columns":[{"name":"id","type":"INTEGER","nullable":false,"primary_key":true},{"name":"name","type":"TEXT","nullable":false},{"name":"country","type":"TEXT","nullable":true,"default":"'DE'"},{"name":"score","type":"REAL","nullable":true}]},` +
		`{"name":"orders","type":"table","columns":[{"name":"id","type":"INTEGER","nullable":false,"primary_key":true},{"name":"customer","type":"INTEGER","nullable":true,"references":"customers(id)"},{"name":"total","type":"NUMERIC","nullable":true},{"name":"photo","type":"BLOB","nullable":true}]}]`
	if err != nil || string(encoded) != want || result.Kind != "sqlite" || result.Tables[0].Type != "view" {
		t.Errorf("%s\n%s, %v", encoded, want, err)
	}
}

// BT11, EX3: a change is seen, also one that is only in the write-ahead log.
func TestTheStampOfADatabaseChangesWithIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	db := makeDatabase(t, filepath.Join(d.root, "shop.db"), "WAL", shop)
	args := map[string]any{"database": "shop.db", "sql": "SELECT count(*) FROM customers"}
	before := d.stamp(t, "db_query", args)
	if before == "" || d.stamp(t, "db_query", args) != before {
		t.Errorf("the stamp is %q", before)
	}
	if _, err := db.ExecContext(t.Context(), "DELETE FROM customers WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	if d.stamp(t, "db_query", args) == before {
		t.Error("a change in the log is not seen")
	}
	if got, err := d.sql(t, "SELECT count(*) FROM customers"); err != nil || !strings.Contains(got, "[[2]]") {
		t.Errorf("%s, %v", got, err)
	}
}

// BT11
func TestAConfiguredDatabaseIsFoundByItsName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "named.db")
	makeDatabase(t, path, "DELETE", shop)
	call := tools.Call{Services: &services.Locator{}}
	services.Register[tools.Databases](call.Services, tools.DatabasesKey, namedDatabases{
		"shop": "sqlite://" + path, "gone": "sqlite:///nowhere/x.db", "odd": "mysql://x",
		"bad": "postgres://user:s3cret@[", "closed": "postgres://user:s3cret@127.0.0.1:1/x",
	})
	data, failure := execute(t, call, "db_query", map[string]any{"database": "shop",
		"sql": "SELECT count(*) AS n FROM orders"})
	if failure != "" || fmt.Sprint(data["rows"]) != "[[2]]" {
		t.Errorf("%s %v", failure, data)
	}
	if data, failure = execute(t, call, "db_schema", map[string]any{"database": "shop"}); failure != "" ||
		len(data["tables"].([]any)) != 3 {
		t.Errorf("%s %v", failure, data)
	}
	tool, _ := tools.Default().Get("db_query")
	if stamp, err := tool.Stamp(t.Context(), call,
		json.RawMessage(`{"sql":"SELECT 1","database":"shop"}`)); err != nil || stamp != "" {
		t.Errorf("a configured database is stamped %q, %v", stamp, err)
	}
	for name, say := range map[string]string{
		"gone": "unavailable: the file of the database cannot be read",
		"odd":  "unavailable: the database \"odd\" has an unknown kind",
		"bad":  "unavailable: the configured url", "closed": "unavailable: the database \"closed\" cannot be reached",
		"other": "not_found: there is no database \"other\"",
	} {
		if _, failure := execute(t, call, "db_query", map[string]any{"database": name,
			"sql": "SELECT 1"}); !strings.HasPrefix(failure, say) || strings.Contains(failure, "s3cret") {
			t.Errorf("%s: %s", name, failure)
		}
	}
	if _, failure := execute(t, tools.Call{}, "db_query", map[string]any{"database": "x",
		"sql": "SELECT 1"}); !strings.Contains(failure, "this conversation has no project") {
		t.Error(failure)
	}
}

// BT11
func FuzzCheckStatement(f *testing.F) {
	for _, seed := range []string{"SELECT 1", "/* a /* b */ c */ SELECT ';'", "EXPLAIN (ANALYZE) SELECT $a$;$a$",
		"SELECT E'\\'' ; x", "WITH [a;b] AS (SELECT 1)", "--\r\nSELECT 1;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, statement string) {
		for _, kind := range []string{sqliteKind, postgresKind} {
			err := checkStatement(statement, kind)
			if err == nil && strings.TrimSpace(statement) == "" {
				t.Fatalf("%q was taken", statement)
			}
		}
	})
}
