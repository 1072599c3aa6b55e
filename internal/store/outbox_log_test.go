package store

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// SH8: a slow statement is logged without its values, also where it is SQL of our own.
func TestALoggedOutboxStatementShowsNoEvent(t *testing.T) {
	var log bytes.Buffer
	s, err := Open(t.Context(), Options{SQLiteFile: filepath.Join(t.TempDir(), "a.db"),
		Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows := []*models.Outbox{{Subject: "s", MessageID: "1", Payload: []byte("private words")},
		{Subject: "s", MessageID: "2", Payload: []byte("private words")}}
	err = s.tx(t.Context(), func(tx *gorm.DB) error {
		tx.Logger = slowLog{tx.Logger.(gormLog)}
		return addOutbox(tx, rows)
	})
	if err != nil {
		t.Fatal(err)
	}
	if rows[0].ID == 0 || rows[1].ID != rows[0].ID+1 {
		t.Errorf("the rows have the ids %d and %d", rows[0].ID, rows[1].ID)
	}
	if text := log.String(); !strings.Contains(text, "INSERT INTO outbox") || strings.Contains(text, "private") {
		t.Errorf("the log says %s", text)
	}
}

// slowLog makes every statement a slow one.
type slowLog struct{ gormLog }

func (l slowLog) Trace(ctx context.Context, begin time.Time, statement func() (string, int64), err error) {
	l.gormLog.Trace(ctx, begin.Add(-time.Hour), statement, err)
}
