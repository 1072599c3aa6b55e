package builtin

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// nobody runs the server where the tests run as root, which it refuses to be.
const nobody = 65534

// startPostgres runs a server for the test, with the programs that are installed.
func startPostgres(t *testing.T) (address string) {
	t.Helper()
	for _, program := range []string{"initdb", "pg_ctl", "postgres"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("PostgreSQL is NOT tested: %v", err)
		}
	}
	dir, err := os.MkdirTemp("", "nanoclaw-pg-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	run := func(ctx context.Context, name string, args ...string) error {
		command := exec.CommandContext(ctx, name, args...)
		command.Dir = dir
		command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C"}
		if os.Getuid() == 0 {
			command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		if output, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", name, err, output)
		}
		return nil
	}
	if os.Getuid() == 0 {
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	data := filepath.Join(dir, "data")
	if err := run(t.Context(), "initdb", "-D", data, "-U", "admin", "-A", "trust", "-E", "UTF8",
		"--no-sync"); err != nil {
		t.Fatal(err)
	}
	options := fmt.Sprintf("-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories='%s' -c fsync=off", port,
		dir)
	if err := run(t.Context(), "pg_ctl", "-D", data, "-w", "-l", filepath.Join(dir, "log"), "-o", options,
		"start"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := run(context.Background(), "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"); err != nil {
			t.Error(err)
		}
	})
	return fmt.Sprintf("postgres://admin@127.0.0.1:%d/postgres?sslmode=disable", port)
}

const postgresShop = `CREATE SCHEMA stock; CREATE TABLE customers (id bigint PRIMARY KEY, name text NOT NULL, country char(2) DEFAULT 'DE', born timestamptz, tags text[], extra jsonb, score numeric(20,10), photo bytea);
CREATE TABLE stock.orders (id serial PRIMARY KEY, customer bigint REFERENCES customers(id), total double precision);
CREATE VIEW names AS SELECT name FROM customers;
INSERT INTO customers VALUES (9007199254740993, '林', 'CN', '2024-05-01 12:00:00+02', '{a,"b c"}', '{"k": [1]}', 1.0000000001, '\xff00'), (2, 'Ada', NULL, NULL, NULL, NULL, 'NaN', 'x');
CREATE SEQUENCE counter;`

// BT11
func TestAPostgresDatabaseIsQueriedAndNeverWritten(t *testing.T) {
	t.Parallel()
	address := startPostgres(t)
	admin, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if _, err := admin.ExecContext(t.Context(), postgresShop); err != nil {
		t.Fatal(err)
	}
	call := tools.Call{Services: &services.Locator{}}
	services.Register[tools.Databases](call.Services, tools.DatabasesKey, namedDatabases{
		"shop": address, "locked": strings.Replace(address, "admin@", "nobody:s3cret@", 1),
	})
	query := func(statement string) (string, string) {
		data, failure := execute(t, call, "db_query", map[string]any{"database": "shop", "sql": statement})
		encoded, err := json.Marshal(data["rows"])
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded), failure
	}
	for statement, want := range map[string]string{
		"SELECT id::text, name, country, born AT TIME ZONE 'UTC', tags, extra, score, photo FROM customers " +
			"ORDER BY id DESC": `[["9007199254740993","林","CN","2024-05-01T10:00:00Z","{a,\"b c\"}","{\"k\": [1]}","1.0000000001","x'ff00' (2 bytes)"],["2","Ada",null,null,null,null,"NaN","x"]]`,
		"TABLE names;": `[["林"],["Ada"]]`,
		"SELECT true, 1.5::float8, $$a;b$$, E'\\';'":                                            `[[true,1.5,"a;b","';"]]`,
		"EXPLAIN (COSTS OFF) SELECT 1":                                                          `[["Result"]]`,
		"SELECT 'x' LIKE '%x', 7 % 4, '$1'":                                                     `[[true,3,"$1"]]`,
		"SELECT current_setting('transaction_read_only'), current_setting('statement_timeout')": `[["on","10s"]]`,
	} {
		if got, failure := query(statement); failure != "" || got != want {
			t.Errorf("%s\n got %s %s\nwant %s", statement, got, failure, want)
		}
	}
	for statement, code := range map[string]string{
		"DELETE FROM customers":                                                         "read_only",
		"COPY (SELECT 1) TO PROGRAM 'touch /tmp/nanoclaw-pwned'":                        "read_only",
		"--\rCOPY (SELECT 1) TO PROGRAM 'true' --\nWITH (FORMAT csv)":                   "read_only",
		"/* /* */ SELECT */ COPY (SELECT 1) TO STDOUT":                                  "read_only",
		"SET default_transaction_read_only = off":                                       "read_only",
		"DO $$ BEGIN END $$":                                                            "read_only",
		"EXPLAIN ANALYZE VERBOSE DELETE FROM customers":                                 "read_only",
		"EXPLAIN (ANALYZE) DELETE FROM customers":                                       "read_only",
		"SELECT 1; DELETE FROM customers":                                               "invalid_arguments",
		"WITH x AS (DELETE FROM customers RETURNING 1) SELECT * FROM x":                 "query_failed",
		"EXPLAIN ANALYZE WITH x AS (DELETE FROM customers RETURNING 1) SELECT * FROM x": "query_failed",
		"SELECT * INTO copied FROM customers":                                           "query_failed",
		"SELECT nextval('counter')":                                                     "query_failed",
		"SELECT id FROM customers FOR UPDATE":                                           "query_failed",
		"SELECT set_config('transaction_read_only', 'off', false)":                      "query_failed",
		"SELECT nothing": "query_failed",
	} {
		if got, failure := query(statement); !strings.HasPrefix(failure, code+": ") {
			t.Errorf("%s: %s %s, want %s", statement, got, failure, code)
		}
	}
	// Older servers let a read-only transaction make a large object; it is rolled back.
	query("SELECT lo_create(0)")
	if got, failure := query("SELECT count(*) FROM pg_largeobject_metadata"); failure != "" || got != "[[0]]" {
		t.Errorf("a large object is left: %s %s", got, failure)
	}
	var left int
	if err := admin.QueryRowContext(t.Context(), "SELECT count(*) FROM customers").Scan(&left); err != nil ||
		left != 2 {
		t.Errorf("%d customers are left, %v", left, err)
	}
	if _, failure := execute(t, call, "db_query", map[string]any{"database": "locked",
		"sql": "SELECT 1"}); !strings.Contains(failure, "refuses the connection") || strings.Contains(failure,
		"s3cret") {
		t.Error(failure)
	}

	t.Run("the engine refuses more than one statement by itself", func(t *testing.T) {
		db, err := openPostgres(t.Context(), "shop", address)
		if err != nil {
			t.Fatal(err)
		}
		defer db.close()
		if _, err := db.query(t.Context(), "SELECT 1; SELECT 2", dbBytes); err == nil || !strings.Contains(err.Error(),
			"multiple commands") {
			t.Errorf("%v", err)
		}
	})
	t.Run("a query that never ends is stopped", func(t *testing.T) {
		db, err := openPostgres(t.Context(), "shop", address)
		if err != nil {
			t.Fatal(err)
		}
		defer db.close()
		short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if _, err := db.query(short,
			"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
			dbBytes); tools.CodeOf(err) != tools.CodeTimeout {
			t.Errorf("%v", err)
		}
	})
	data, failure := execute(t, call, "db_query", map[string]any{"database": "shop",
		"sql": "SELECT generate_series(1, 100000000)"})
	if failure != "" || data["row_count"] != 1000.0 || data["truncated"] != true {
		t.Errorf("%s %v", failure, data["row_count"])
	}
	data, failure = execute(t, call, "db_schema", map[string]any{"database": "shop"})
	encoded, err := json.Marshal(data["tables"])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"columns":[{"name":"name","nullable":true,"type":"text"}],"name":"names","type":"view"}`,
		`{"name":"id","nullable":false,"primary_key":true,"type":"bigint"}`, `"default":"'DE'::bpchar"`,
		`"name":"stock.orders"`,
		`{"name":"customer","nullable":true,"references":"customers(id)","type":"bigint"}`,
	} {
		if failure != "" || !strings.Contains(string(encoded), want) {
			t.Errorf("%s the schema has no %s:\n%s", failure, want, encoded)
		}
	}
}
