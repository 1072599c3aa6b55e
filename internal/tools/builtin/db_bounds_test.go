package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/tools"
)

const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "

// BT11: whatever a statement asks for, it ends, and the server lives.
func TestAStatementIsBoundedInTimeAndMemory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "shop.db")
	makeDatabase(t, path, "DELETE", shop)
	source := &dbSource{Kind: sqliteKind, Name: "shop.db", Address: path}
	manyHex := "SELECT " + strings.TrimSuffix(strings.Repeat("hex(zeroblob(7900000)), ", 100), ", ")
	manyNamed := "WITH big AS MATERIALIZED (SELECT hex(zeroblob(7900000)) AS h) SELECT " +
		strings.TrimSuffix(strings.Repeat("h || '', ", 150), ", ") + " FROM big"
	stars := strings.Repeat("a%", 90)
	for name, c := range map[string]struct{ statement, codes string }{
		"a search in one value":   {"SELECT instr(zeroblob(15000000), zeroblob(7000000)||x'01')", "timeout"},
		"a count that never ends": {endless + "SELECT count(*) FROM n", "timeout"},
		"a join of all with all": {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) " +
			"SELECT count(*) FROM n a, n b, n c", "timeout"},
		"a pattern with many stars": {"SELECT count(*) FROM (" + endless +
			"SELECT replace(hex(zeroblob(200000 + i)), '0', 'a') LIKE '%" + stars + "b' AS l FROM n) WHERE l",
			"timeout"},
		"a long pattern": {"SELECT 'a' LIKE '" + strings.Repeat("%a", 200) + "'", "query_failed"},
		"a GLOB with many stars": {"SELECT replace(hex(zeroblob(4000000)), '0', 'a') GLOB '*" +
			strings.ReplaceAll(stars, "%", "*") + "b'", "answered timeout"},
		"printf with a great width": {"SELECT printf('%.*c', 1000000000, 'x')", "query_failed"},
		"all in one text": {endless + "SELECT group_concat(hex(zeroblob(1000000))) FROM n",
			"query_failed timeout"},
		"all in one JSON list": {endless + "SELECT json_group_array(i) FROM n", "query_failed timeout"},
		"an order without end": {endless + "SELECT hex(zeroblob(100000)) AS h FROM n ORDER BY h, i",
			"timeout too_large query_failed"},
		"a set that grows without end": {"WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT " +
			"count(*) FROM n", "timeout too_large query_failed"},
		"replace that grows": {"SELECT length(replace(replace(hex(zeroblob(8000)), '0', " +
			"hex(zeroblob(400))), '0', hex(zeroblob(400))))", "query_failed"},
		"deep expressions": {"SELECT " + strings.Repeat("(", 20000) + "1" + strings.Repeat(")", 20000),
			"query_failed"},
		"deep JSON":        {"SELECT json(replace(hex(zeroblob(1000000)), '0', '['))", "query_failed"},
		"many selects":     {strings.Repeat("SELECT 1 UNION ALL ", 2000) + "SELECT 1", "query_failed"},
		"too many columns": {"SELECT " + strings.Repeat("1, ", 200) + "1", "too_large"},
		"views in views, each twice": {"WITH " + doubling(24) + " SELECT count(*) FROM t24",
			"timeout too_large query_failed"},
		"window over what never ends": {endless + "SELECT sum(i) OVER (ORDER BY i DESC) FROM n",
			"timeout too_large query_failed"},
		"random text that never matches": {"SELECT count(*) FROM (" + endless +
			"SELECT i FROM n WHERE hex(randomblob(1000)) LIKE '%xyz%')", "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := checkStatement(c.statement, sqliteKind); err != nil {
				t.Fatal(err)
			}
			result, err := source.query(t.Context(), c.statement, dbBytes, time.Second)
			code := "answered"
			if err != nil {
				code = tools.CodeOf(err)
			}
			if !strings.Contains(c.codes, code) {
				t.Errorf("%d rows, %v (%s), want %s", result.RowCount, err, code, c.codes)
			}
		})
	}
	for _, statement := range []string{manyHex, manyNamed} { // the memory is used up long before the time
		if _, err := source.query(t.Context(), statement, dbBytes, time.Minute); tools.CodeOf(err) != "too_large" {
			t.Errorf("%.40s…: %v", statement, err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := source.query(cancelled, "SELECT 1", dbBytes, time.Minute); tools.CodeOf(err) != tools.CodeCancelled {
		t.Errorf("cancelled: %v", err)
	}
}

// doubling is tables each of which is the one before twice.
func doubling(depth int) string {
	tables := []string{"t0(i) AS (SELECT 1)"}
	for i := range depth {
		tables = append(tables, fmt.Sprintf("t%d(i) AS (SELECT a.i FROM t%d a, t%d b)", i+1, i, i))
	}
	return strings.Join(tables, ", ")
}

// BT11: great values and wide tables do not keep the rest from being read.
func TestADatabaseWithGreatValuesAndWideTablesIsRead(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	wide := "CREATE TABLE wide (c0"
	for i := range 1500 {
		wide += fmt.Sprintf(", c%d", i+1)
	}
	makeDatabase(t, filepath.Join(d.root, "shop.db"), "DELETE",
		wide+"); CREATE TABLE photos (id INTEGER PRIMARY KEY, photo BLOB, name TEXT);"+
			"INSERT INTO wide (c0) VALUES (7); INSERT INTO photos VALUES (1, zeroblob(9000000), 'nine'), (2, "+
			"hex(zeroblob(5000000)), 'ten');")
	for statement, want := range map[string]string{
		"SELECT c0 FROM wide":                                  `"rows":[[7]]`,
		"SELECT id, name, length(photo) FROM photos":           `"rows":[[1,"nine",9000000],[2,"ten",10000000]]`,
		"SELECT substr(photo, 9999999) FROM photos WHERE id=2": `"rows":[["00"]]`,
		"SELECT photo FROM photos WHERE id = 1":                `"truncated":true`,
		"SELECT name FROM photos ORDER BY photo DESC":          `"rows":[["nine"],["ten"]]`,
	} {
		if got, err := d.sql(t, statement); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %.200s, %v", statement, got, err)
		}
	}
	if _, err := d.sql(t, "SELECT * FROM wide"); tools.CodeOf(err) != "too_large" {
		t.Errorf("all columns: %v", err)
	}
}

// BT11: whatever is in a file, and whatever the statement, there is an answer.
func FuzzSQLiteFile(f *testing.F) {
	path := filepath.Join(f.TempDir(), "shop.db")
	makeDatabase(f, path, "DELETE", "PRAGMA page_size=512; VACUUM;"+shop).Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	for _, statement := range []string{
		"SELECT * FROM customers, orders, big", "SELECT 1\x00; SELECT 2", "SELECT ?1, :a",
		"SELECT x'ff' AS \"\xff\", CAST(x'ff41' AS TEXT)", "SELECT 9e999, -9e999, 0.0/0",
		"SELECT * FROM sqlite_schema", "EXPLAIN SELECT * FROM big ORDER BY total", "SELECT 1 AS a, 2 AS a, 3 AS ''",
		"VALUES (1), (2) ORDER BY 1 LIMIT -1",
	} {
		f.Add(whole, uint32(0), byte(0), statement)
		f.Add(whole, uint32(700), byte(0xff), statement)
		f.Add(whole[:1000], uint32(30), byte(9), statement)
	}
	f.Fuzz(func(t *testing.T, file []byte, at uint32, flip byte, statement string) {
		if len(file) > 1<<20 || len(statement) > 1000 || checkStatement(statement, sqliteKind) != nil {
			return
		}
		if len(file) > 0 {
			file = slices.Clone(file)
			file[int(at)%len(file)] ^= flip
		}
		source := &dbSource{Kind: sqliteKind, Name: "shop.db", Address: filepath.Join(t.TempDir(), "shop.db")}
		if err := os.WriteFile(source.Address, file, 0o600); err != nil {
			t.Fatal(err)
		}
		result, err := source.query(t.Context(), statement, dbBytes, 2*time.Second)
		if err != nil && tools.CodeOf(err) == tools.CodeInternal {
			t.Fatalf("%q: %v", statement, err)
		}
		if encoded, err := json.Marshal(result); err != nil || !json.Valid(encoded) {
			t.Fatalf("%q: %s, %v", statement, encoded, err)
		}
	})
}

func BenchmarkSQLiteQuery(b *testing.B) {
	path := filepath.Join(b.TempDir(), "shop.db")
	makeDatabase(b, path, "DELETE", shop)
	source := &dbSource{Kind: sqliteKind, Name: "shop.db", Address: path}
	for b.Loop() {
		if _, err := source.query(b.Context(), "SELECT * FROM customers", dbBytes, time.Minute); err != nil {
			b.Fatal(err)
		}
	}
}
