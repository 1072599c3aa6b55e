package store

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"nanoclaw/internal/store/pgtest"
)

// openFunc opens a fresh store that the test's end closes.
type openFunc func(tb testing.TB, clock *clock) *Store

// onEachEngine runs a test on every database that is at hand. All of them must
// pass: this is what "behind one conformance suite" means.
func onEachEngine(t *testing.T, test func(t *testing.T, open openFunc)) {
	t.Helper()
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, openSQLite)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, openPostgres)
	})
}

func openSQLite(tb testing.TB, clock *clock) *Store {
	tb.Helper()
	return openWith(tb, Options{SQLiteFile: filepath.Join(tb.TempDir(), "test.db"), Now: clock.now})
}

func openPostgres(tb testing.TB, clock *clock) *Store {
	tb.Helper()
	return openWith(tb, Options{URL: pgtest.URL(tb), MaxConnections: 8, Now: clock.now})
}

func openWith(tb testing.TB, options Options) *Store {
	tb.Helper()
	s, err := Open(tb.Context(), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close the store: %v", err)
		}
	})
	return s
}

// clock is a time that moves only when a test says so.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// must is for calls that a test relies on but does not test.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// wantCode fails unless err has the code.
func wantCode(tb testing.TB, err error, code string) {
	tb.Helper()
	if !IsCode(err, code) {
		tb.Errorf("the error is %v, want the code %s", err, code)
	}
}
