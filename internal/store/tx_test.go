package store

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// CH2: a change and its messages are stored together or not at all.
func TestMessagesAreStoredWithTheirTransactionOrNotAtAll(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		failure := errors.New("no")
		for _, want := range []error{failure, nil} {
			var rows []*models.Outbox
			err := s.InTx(t.Context(), func(tx *Tx) error {
				tx.Send(&models.Outbox{MessageID: "1"})
				tx.Send(&models.Outbox{MessageID: "2"}, &models.Outbox{MessageID: "3"})
				rows = tx.Sent()
				return want
			})
			if !errors.Is(err, want) {
				t.Fatalf("%v, want %v", err, want)
			}
			stored, err := s.PendingOutbox(t.Context(), models.Now(), 10)
			must(t, err)
			if want != nil {
				if len(stored) != 0 {
					t.Fatalf("a failed transaction left %d messages", len(stored))
				}
				continue
			}
			for i, row := range stored {
				if row.ID != rows[i].ID || row.MessageID != rows[i].MessageID {
					t.Errorf("message %d is %+v, want %+v", i, row, rows[i])
				}
			}
			if len(stored) != 3 {
				t.Errorf("%d messages are stored, want 3", len(stored))
			}
		}
	})
}

// EX3: a worker that has lost its run writes nothing.
func TestALostWorkerWritesNothing(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		run, old := guardedRun(t, s, "c1")
		must(t, s.InTx(t.Context(), func(tx *Tx) error {
			queued, err := tx.Enqueue(run.ID, "me", time.Minute)
			must(t, err)
			_, err = tx.Claim(run.ID, queued.EnqueueNo, "other", time.Minute)
			return err
		}))
		err := s.InFence(t.Context(), old, "call_started", func(tx *Tx) error { return tx.StartCall("c1") })
		wantCode(t, err, CodeFenced)
		_, calls, err := s.Steps(t.Context(), run.ID)
		must(t, err)
		if calls[0].State != models.CallPending {
			t.Errorf("the call is %s", calls[0].State)
		}
	})
}

// CH4: one statement renews the leases of all runs of a worker, and says which are lost.
func TestRenewedLeasesAreThoseThatAreStillHeld(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		first, held := guardedRun(t, s)
		_, lost := guardedRun(t, s)
		stale := lost
		stale.Attempt--
		var renewals atomic.Int64 // the audit log is chained in the background, with statements of its own
		must(t, s.db.Callback().Row().After("gorm:row").Register("test:renewals", func(db *gorm.DB) {
			if strings.HasPrefix(db.Statement.SQL.String(), "UPDATE runs SET lease_until") {
				renewals.Add(1)
			}
		}))
		got, err := s.RenewLeases(t.Context(), []Fence{stale, held}, time.Hour)
		if err != nil || len(got) != 1 || got[0] != stale {
			t.Errorf("lost are %v, %v; want %v", got, err, stale)
		}
		if n := renewals.Load(); n != 1 {
			t.Errorf("%d statements renewed two leases", n)
		}
		run, err := s.Run(t.Context(), "", first.ID)
		must(t, err)
		if until := time.Until(run.LeaseUntil.Std()); until < 50*time.Minute {
			t.Errorf("the lease lasts %s more", until)
		}
	})
}
