package store

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

func TestSQLiteRunsAsTheDesignSays(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, newClock())
	for pragma, want := range map[string]string{"journal_mode": "wal", "foreign_keys": "1", "synchronous": "1",
		"busy_timeout": "10000"} {
		var got string
		must(t, s.db.Raw("PRAGMA "+pragma).Scan(&got).Error)
		if got != want {
			t.Errorf("%s is %s, want %s", pragma, got, want)
		}
	}
	full := openWith(t, Options{SQLiteFile: filepath.Join(t.TempDir(), "full.db"), Synchronous: "full"})
	var got int
	must(t, full.db.Raw("PRAGMA synchronous").Scan(&got).Error)
	if got != 2 {
		t.Errorf("synchronous: full is %d in SQLite, want 2", got)
	}
	_, err := Open(t.Context(), Options{SQLiteFile: filepath.Join(t.TempDir(), "off.db"), Synchronous: "off"})
	if !IsCode(err, CodeInvalidArgument) {
		t.Errorf("synchronous: off opened with %v", err)
	}
	if err := s.read(t.Context()).Create(&models.User{ID: "a", Name: "a"}).Error; err == nil {
		t.Error("a reader wrote")
	}
}

func TestAStatementMayRunWithinItsOwnRows(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, newClock())
	for i := range 5 {
		must(t, s.CreateUser(t.Context(), &models.User{Name: fmt.Sprint(i)}))
	}
	const query = "SELECT name FROM users ORDER BY name"
	must(t, s.tx(t.Context(), func(tx *gorm.DB) error {
		rows, err := tx.Raw(query).Rows()
		must(t, err)
		defer rows.Close()
		for seen := 0; rows.Next(); seen++ {
			var outer string
			must(t, rows.Scan(&outer))
			var inner []string
			must(t, tx.Raw(query).Scan(&inner).Error)
			if outer != fmt.Sprint(seen) || len(inner) != 5 {
				t.Errorf("row %d is %s, with %v inside", seen, outer, inner)
			}
		}
		return rows.Err()
	}))
}

func TestManyDifferentStatementsDoNotPileUp(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, newClock())
	pool, err := s.db.DB()
	must(t, err)
	conn, err := pool.Conn(t.Context())
	must(t, err)
	defer func() { must(t, conn.Close()) }()
	for i := range 3 * maxStatements {
		var got int
		must(t, conn.QueryRowContext(t.Context(), fmt.Sprintf("SELECT %d", i)).Scan(&got))
		if got != i {
			t.Fatalf("SELECT %d gave %d", i, got)
		}
	}
	must(t, conn.Raw(func(raw any) error {
		if n := len(raw.(*preparingConn).statements); n > maxStatements {
			t.Errorf("%d statements are kept", n)
		}
		return nil
	}))
}

func TestACancelledCallLeavesTheConnectionInOrder(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, newClock())
	const endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for _, run := range []func() error{
			func() error { return s.read(ctx).Exec(endless).Error },
			func() error {
				return s.tx(ctx, func(tx *gorm.DB) error {
					must(t, tx.Create(&models.User{ID: "a", Name: "a"}).Error)
					cancel()
					return tx.Exec(endless).Error
				})
			},
		} {
			wg.Go(func() {
				if err := run(); err == nil {
					t.Error("a cancelled call succeeded")
				}
			})
		}
		wg.Wait()
		_, err := s.GetUser(t.Context(), "a")
		wantCode(t, err, CodeNotFound)
	}
	must(t, s.CreateUser(t.Context(), &models.User{Name: "after"}))
}
