package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store/pgtest"
)

// filled is a SQLite database with rows of most kinds.
func filled(t *testing.T) (*Store, *models.Conversation, *models.Message) {
	t.Helper()
	s := openSQLite(t, newClock())
	ctx := t.Context()
	_, err := s.EnsureLocalUser(ctx)
	must(t, err)
	conv := &models.Conversation{UserID: models.LocalUserID, Title: "旅行 plans", ToolsEnabled: true}
	must(t, s.CreateConversation(ctx, conv))
	var last *models.Message
	for i := range 1200 { // more than a batch
		message := addMessage(t, s, conv.ID, "", fmt.Sprintf("message %d about 天气", i))
		last = &message
	}
	guardedRun(t, s, "c1", "c2")
	must(t, s.CreateUpload(ctx, &models.Upload{UserID: "u", Name: "x", Data: []byte{0, 255, 'a'}}))
	must(t, s.AppendAudit(ctx, []*models.Audit{{Kind: "tool", Tool: "a\x00b"}, {Kind: "tool", Detail: "second"}}))
	must(t, s.CreateConversation(ctx, &models.Conversation{UserID: "u", Title: "nul \x00 and \xff"}))
	return s, conv, last
}

// GR7: everything is copied and compared, is found by search, and numbers go on.
func TestADatabaseIsCopiedToPostgres(t *testing.T) {
	t.Parallel()
	from, conv, last := filled(t)
	to := openPostgres(t, newClock())
	rows := map[string]int64{}
	must(t, Transfer(t.Context(), from, to, func(done Transferred) { rows[done.Table] = done.Rows }))
	if rows["messages"] < 1200 || rows["audit"] != 2 || rows["upload_parts"] != 1 || rows["tool_calls"] != 2 {
		t.Errorf("copied %v", rows)
	}
	must(t, to.TransferUnfinished(t.Context()))
	hits, err := to.Search(t.Context(), models.LocalUserID, SearchQuery{Text: "天气 1199"})
	must(t, err)
	if len(hits.Items) != 1 || hits.Items[0].MessageID != last.ID {
		t.Errorf("found %+v", hits.Items)
	}
	addMessage(t, to, conv.ID, last.ID, "after the move")
	must(t, to.AppendAudit(t.Context(), []*models.Audit{{Kind: "tool", Detail: "third"}}))
	report, err := to.VerifyAudit(t.Context(), nil)
	must(t, err)
	if report.Break != nil || report.Last != 3 {
		t.Errorf("the audit: %+v", report)
	}
	wantCode(t, Transfer(t.Context(), from, to, func(Transferred) {}), CodeConflict) // it is done
}

// GR7: a transfer that was stopped goes on behind its last batch, and nobody serves half a copy.
func TestATransferGoesOnWhereItWasStopped(t *testing.T) {
	t.Parallel()
	from, _, _ := filled(t)
	to := openPostgres(t, newClock())
	ctx, cancel := context.WithCancel(t.Context())
	batches := 0
	must(t, to.db.Callback().Raw().After("gorm:raw").Register("stop", func(db *gorm.DB) {
		if strings.HasPrefix(db.Statement.SQL.String(), `INSERT INTO "messages"`) {
			if batches++; batches == 2 {
				cancel() // within the transaction of the second batch
			}
		}
	}))
	if err := Transfer(ctx, from, to, func(Transferred) {}); !errors.Is(err, context.Canceled) {
		t.Fatalf("the stopped transfer: %v", err)
	}
	wantCode(t, to.TransferUnfinished(t.Context()), CodeInvalidArgument)
	var stored int64
	must(t, to.db.Model(&models.Message{}).Count(&stored).Error)
	if stored != transferRows {
		t.Errorf("%d messages are there, want the first %d", stored, transferRows)
	}
	other, _, _ := filled(t)
	wantCode(t, Transfer(t.Context(), other, to, func(Transferred) {}), CodeConflict)
	must(t, Transfer(t.Context(), from, to, func(Transferred) {}))
	must(t, to.TransferUnfinished(t.Context()))
}

// GR7: a target with anything in it is left alone, and so is one that another process fills.
func TestATargetThatIsNotEmptyIsRefused(t *testing.T) {
	t.Parallel()
	from, _, _ := filled(t)
	to := openPostgres(t, newClock())
	_, err := to.EnsureLocalUser(t.Context())
	must(t, err)
	wantCode(t, Transfer(t.Context(), from, to, func(Transferred) {}), CodeConflict)
	wantCode(t, Transfer(t.Context(), to, from, func(Transferred) {}), CodeInvalidArgument)
	empty := openWith(t, Options{URL: pgtest.URL(t), MaxConnections: 4})
	taken, err := empty.TakeLease(t.Context(), transferLease, "another", time.Minute)
	must(t, err)
	err = Transfer(t.Context(), from, empty, func(Transferred) {})
	if wantCode(t, err, CodeConflict); !taken || err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("the error is %v", err)
	}
}

// GR7: a copy that is not the original is found out.
func TestACopyThatDiffersIsNotCalledEqual(t *testing.T) {
	t.Parallel()
	from, conv, last := filled(t)
	for name, change := range map[string]func(to *Store) error{
		"a value": func(to *Store) error {
			return to.db.Exec("UPDATE messages SET text = text || '.' WHERE id = ?", last.ID).Error
		},
		"a row": func(to *Store) error { return to.db.Exec("DELETE FROM messages WHERE id = ?", last.ID).Error },
		"a flag": func(to *Store) error {
			return to.db.Exec("UPDATE conversations SET pinned = TRUE WHERE id = ?", conv.ID).Error
		},
	} {
		t.Run(name, func(t *testing.T) {
			to := openPostgres(t, newClock())
			must(t, Transfer(t.Context(), from, to, func(Transferred) {}))
			must(t, change(to))
			must(t, to.db.Exec(`UPDATE leases SET note = replace(note, '"done":true', '"done":false')`).Error)
			if err := Transfer(t.Context(), from, to, func(Transferred) {}); err == nil {
				t.Error("it was called equal")
			}
		})
	}
}
