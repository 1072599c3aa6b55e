package doctor

import (
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/store"
	"nanoclaw/internal/store/pgtest"
)

// GR7: after pg_restore the doctor says whether the database is one that can be served.
func TestThePostgresDatabaseIsChecked(t *testing.T) {
	t.Parallel()
	c := *config.Default()
	c.DataDir, c.Database.URL = t.TempDir(), config.Secret(pgtest.URL(t))
	v := &visit{config: &c}
	if found := v.database(t.Context()); found[0].Status != Fail {
		t.Errorf("an empty database: %+v", found)
	}
	s, err := store.Open(t.Context(), store.Options{URL: c.Database.URL.Reveal()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if found := v.database(t.Context()); found[0].Status == Fail || !strings.Contains(found[0].Detail, "all tables") {
		t.Errorf("a database of this version: %+v", found)
	}
}
