// Package storetest says which database the tests of other rooms run on. It is for tests
// alone.
package storetest

import (
	"os"
	"path/filepath"
	"testing"

	"nanoclaw/internal/store"
	"nanoclaw/internal/store/pgtest"
)

// EnvDatabase names the engine: sqlite, which is the default, or postgres. The tests of
// runs and of the API pass on both.
const EnvDatabase = "NANOCLAW_TEST_DATABASE"

// Options are those of an empty database, which lives as long as the test: a file in the
// directory, or one of a private PostgreSQL server.
func Options(tb testing.TB, dir string) store.Options {
	tb.Helper()
	switch engine := os.Getenv(EnvDatabase); engine {
	case "", "sqlite":
		return store.Options{SQLiteFile: filepath.Join(dir, "db")}
	case "postgres":
		return store.Options{URL: pgtest.URL(tb), MaxConnections: 8}
	default:
		tb.Fatalf("%s is %q: use sqlite or postgres", EnvDatabase, engine)
		return store.Options{}
	}
}
