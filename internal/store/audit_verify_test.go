package store

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store/pgtest"
)

func someAudit(n int) []*models.Audit {
	rows := make([]*models.Audit, n)
	for i := range rows {
		rows[i] = &models.Audit{Kind: models.AuditCall, UserID: "u", Tool: fmt.Sprint("t", i),
			Arguments: `{"path":"a"}`, Outcome: "success"}
	}
	return rows
}

func verified(t *testing.T, s *Store) *AuditReport {
	t.Helper()
	report, err := s.VerifyAudit(t.Context(), nil)
	must(t, err)
	return report
}

// FS5, SH9: a later change of the audit shows, with the row and what differs.
func TestAChangedAuditShowsWhereAndHow(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		for _, test := range []struct {
			name   string
			change string
			row    int64
			kind   string
		}{
			{"nothing", "", 0, ""},
			{"another outcome", "UPDATE audit SET outcome = 'denied' WHERE id = 3", 3, BreakContent},
			{"another time", "UPDATE audit SET time = time + 1 WHERE id = 5", 5, BreakContent},
			{"text moved between fields", "UPDATE audit SET user_id = 'ut', tool = '4' WHERE id = 5", 5, BreakContent},
			{"a row in the middle is gone", "DELETE FROM audit WHERE id = 4", 5, BreakGap},
			{"the first row is gone", "DELETE FROM audit WHERE id = 1", 2, BreakGap},
			{"the last rows are gone", "DELETE FROM audit WHERE id > 8", 9, BreakTail},
			{"all rows are gone", "DELETE FROM audit", 1, BreakTail},
			{"two rows changed places",
				"UPDATE audit SET id = CASE id WHEN 2 THEN -3 ELSE -2 END WHERE id IN (2, 3); UPDATE audit SET id = " +
					"-id WHERE id < 0", 2, BreakContent},
			{"a row was put behind the end", "INSERT INTO audit (id, tool) VALUES (11, 'x')", 11, BreakExtra},
			{"a row was put before the beginning", "INSERT INTO audit (id, tool) VALUES (0, 'x')", 0, BreakExtra},
			{"a row was put far before the beginning", "INSERT INTO audit (id, tool) VALUES (-7, 'x')", -7, BreakExtra},
			{"a row came back after retention",
				"DELETE FROM audit WHERE id <= 4; UPDATE audit_chain SET unchained = 2, begin_id = 4, begin_hash = " +
					"(SELECT previous_hash FROM audit WHERE id = 5); INSERT INTO audit (id, tool) VALUES (1, 'x')", 1,
				BreakExtra},
			{"the end of the chain was changed", "UPDATE audit_chain SET last_hash = 'x'", 10, BreakHead},
		} {
			s := open(t, newClock())
			must(t, s.AppendAudit(t.Context(), someAudit(10)))
			must(t, s.chainPending(t.Context()))
			if test.change != "" {
				must(t, s.db.Exec(test.change).Error)
			}
			report := verified(t, s)
			switch {
			case test.kind == "" && (report.Break != nil || report.Checked != 10 || report.Last != 10):
				t.Errorf("%s: %+v", test.name, report)
			case test.kind != "" && (report.Break == nil || report.Break.Row != test.row ||
				report.Break.Kind != test.kind):
				t.Errorf("%s: the break is %+v, want %s at row %d", test.name, report.Break, test.kind, test.row)
			}
		}
	})
}

// FS5: a row in which SQLite was given something that no row can hold is a break at
// that row, and an earlier one comes first.
func TestARowThatCannotBeReadIsABreak(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, newClock())
	must(t, s.AppendAudit(t.Context(), someAudit(10)))
	must(t, s.db.Exec("UPDATE audit SET time = 'yesterday' WHERE id = 7").Error)
	if report := verified(t, s); report.Break == nil || report.Break.Row != 7 || report.Break.Kind != BreakContent ||
		report.Checked != 6 {
		t.Errorf("%+v, break %+v", report, report.Break)
	}
	must(t, s.db.Exec("UPDATE audit SET outcome = 'denied' WHERE id = 3").Error)
	if report := verified(t, s); report.Break == nil || report.Break.Row != 3 {
		t.Errorf("%+v, break %+v", report, report.Break)
	}
}

// A row whose hash was computed anew after a change no longer leads to the next one.
func TestARowWithANewHashBreaksTheNextOne(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		must(t, s.AppendAudit(t.Context(), someAudit(5)))
		must(t, s.chainPending(t.Context()))
		var row models.Audit
		must(t, s.db.Take(&row, "id = 2").Error)
		row.Outcome = "denied"
		row.Hash = auditHash(&row)
		must(t, s.db.Save(&row).Error)
		if report := verified(t, s); report.Break == nil || report.Break.Kind != BreakOrder || report.Break.Row != 3 {
			t.Errorf("the break is %+v, want %s at row 3", report.Break, BreakOrder)
		}
	})
}

// A chain that was made anew from some row on holds in itself; what was noted
// elsewhere shows it.
func TestAWitnessShowsAChainThatWasMadeAnew(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		must(t, s.AppendAudit(t.Context(), someAudit(5)))
		noted := &AuditWitness{5, verified(t, s).LastHash}
		check := func(want string) {
			t.Helper()
			report, err := s.VerifyAudit(t.Context(), noted)
			must(t, err)
			if got := report.Break; (want == "") != (got == nil) || got != nil && got.Kind != want {
				t.Errorf("the break is %+v, want %q", got, want)
			}
		}
		must(t, s.AppendAudit(t.Context(), someAudit(2)))
		check("")
		must(t, s.db.Exec("DELETE FROM audit WHERE id > 3").Error)
		must(t, s.db.Exec(
			"UPDATE audit_chain SET last_id = 3, last_hash = (SELECT hash FROM audit WHERE id = 3)").Error)
		check(BreakWitness)
		must(t, s.AppendAudit(t.Context(), append(someAudit(1), &models.Audit{Tool: "forged"})))
		check(BreakWitness)
		if report := verified(t, s); report.Break != nil {
			t.Errorf("without the witness it shows as %+v", report.Break)
		}
	})
}

// FS5: the chain holds under parallel writers, whatever texts they write.
func TestTheAuditHoldsUnderParallelWriters(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		var wg sync.WaitGroup
		for w := range 16 {
			wg.Go(func() {
				for i := range 20 {
					rows := []*models.Audit{
						{Tool: fmt.Sprint(w), Arguments: "\x00\xff…日本", Detail: fmt.Sprint(i)},
						{Tool: fmt.Sprint(w), ResolvedPath: "second", Detail: fmt.Sprint(i)},
					}
					if err := s.AppendAudit(t.Context(), rows); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if report := verified(t, s); report.Break != nil || report.Checked != 640 || report.Last != 640 {
			t.Errorf("%+v", report)
		}
		second := map[string]bool{}
		must(t, s.EachAudit(t.Context(), AuditQuery{}, func(row *models.Audit) error { // newest first
			if call := row.Tool + "/" + row.Detail; row.ResolvedPath != "" {
				second[call] = true
			} else if !second[call] {
				t.Errorf("the rows of call %s are not in their order", call)
			}
			return nil
		}))
	})
}

// GR1: in a database of several processes nobody waits for another's transaction in order
// to be audited, and what a process left that died is in the chain of the next one.
func TestAuditRowsWaitForNobody(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	one, other := openWith(t, Options{URL: address}), openWith(t, Options{URL: address})
	must(t, one.InTx(t.Context(), func(tx *Tx) error {
		tx.Audit(someAudit(2)...)
		if err := tx.flush(); err != nil {
			return err
		}
		return other.AppendAudit(t.Context(), someAudit(1)) // while the other transaction is open
	}))
	if report := verified(t, other); report.Break != nil || report.Checked != 3 {
		t.Errorf("the chain is %+v", report)
	}

	dead := &Store{db: one.db, readers: one.readers, dialect: one.dialect, counts: one.counts, now: one.now}
	must(t, dead.AppendAudit(t.Context(), someAudit(1))) // nothing chains it
	if report := verified(t, dead); report.Checked != 3 {
		t.Fatalf("the row is in the chain: %+v", report)
	}
	next := openWith(t, Options{URL: address})
	if report := verified(t, next); report.Break != nil || report.Checked != 4 {
		t.Errorf("the chain is %+v", report)
	}
}

// FS5, CH14: retention takes from the beginning, and what is left can be checked.
func TestRetentionKeepsTheAuditCheckable(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		clock := newClock()
		s := open(t, clock)
		ctx := t.Context()
		must(t, s.AppendAudit(ctx, someAudit(450)))
		clock.advance(time.Hour)
		border := models.TimeOf(clock.now())
		must(t, s.AppendAudit(ctx, []*models.Audit{{Tool: "new"}, {Tool: "began earlier", Time: border - 1},
			{Tool: "new"}}))
		must(t, s.chainPending(ctx))
		n, err := s.PurgeAudit(ctx, border)
		must(t, err)
		report := verified(t, s)
		if n != 450 || report.Break != nil || report.Checked != 3 || report.First != 451 || report.Removed != 450 {
			t.Errorf("%d rows were removed, and then there is %+v", n, report)
		}
		if n, err = s.PurgeAudit(ctx, border+1); err != nil || n != 3 {
			t.Errorf("%d rows were removed, %v", n, err)
		}
		if report := verified(t, s); report.Break != nil || report.Checked != 0 || report.Removed != 453 {
			t.Errorf("without rows there is %+v", report)
		}
		must(t, s.AppendAudit(ctx, someAudit(1)))
		if report := verified(t, s); report.Break != nil || report.First != 454 {
			t.Errorf("after that there is %+v", report)
		}
		must(t, s.db.Exec("INSERT INTO audit (id, tool) VALUES (450, 'x')").Error)
		if report := verified(t, s); report.Break == nil || report.Break.Kind != BreakExtra {
			t.Errorf("a row that came back is %+v", report.Break)
		}
	})
}

// Rows of a database from before the chain stay, and the chain begins behind them.
func TestTheChainBeginsBehindOldRows(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "test.db")
	d, err := newSQLite(file, "")
	must(t, err)
	db, readers, err := d.open(t.Context(), gormLog{slog.New(slog.DiscardHandler), &counts{}})
	must(t, err)
	old := &Store{db: db, readers: readers, dialect: d, now: models.Now}
	must(t, old.migrate(t.Context(), migrations(d)[:1]))
	must(t, db.Exec("INSERT INTO audit (id, tool) VALUES (1, 'a'), (7, 'b')").Error)
	must(t, old.Close())

	s := openWith(t, Options{SQLiteFile: file})
	must(t, s.AppendAudit(t.Context(), someAudit(3)))
	report := verified(t, s)
	if report.Break != nil || report.Checked != 3 || report.Unchained != 2 || report.First != 8 {
		t.Errorf("%+v", report)
	}
}

// The walk sees one state of the database while the server goes on writing.
func TestTheAuditIsVerifiedBesideAWriter(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "test.db")
	s := openWith(t, Options{SQLiteFile: file})
	must(t, s.AppendAudit(t.Context(), someAudit(5)))
	reader, err := OpenReadOnly(t.Context(), Options{SQLiteFile: file})
	must(t, err)
	defer func() { must(t, reader.Close()) }()
	ctx, stop := context.WithCancel(t.Context())
	wrote := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if err := s.AppendAudit(context.Background(), someAudit(3)); err != nil {
				t.Error(err)
			}
			if i == 2 {
				close(wrote)
			}
		}
	})
	<-wrote
	for range 5 {
		if report := verified(t, reader); report.Break != nil || report.Checked < 14 {
			t.Errorf("%+v", report)
		}
	}
	stop()
	wg.Wait()
	if err := reader.AppendAudit(t.Context(), someAudit(1)); err == nil {
		t.Error("a store that was opened for reading wrote")
	}
	if err := reader.db.Session(&gorm.Session{}).Exec("DELETE FROM audit").Error; err == nil {
		t.Error("a store that was opened for reading deleted")
	}
	_, err = OpenReadOnly(t.Context(), Options{SQLiteFile: file + ".missing"})
	wantCode(t, err, CodeInvalidArgument)
}

func BenchmarkAppendAudit(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprint(writers, " writers"), func(b *testing.B) {
			s, err := Open(context.Background(), Options{SQLiteFile: filepath.Join(b.TempDir(), "a.db")})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			var wg sync.WaitGroup
			work := make(chan struct{})
			for range writers {
				wg.Go(func() {
					for range work {
						if err := s.AppendAudit(context.Background(), someAudit(1)); err != nil {
							b.Error(err)
						}
					}
				})
			}
			for b.Loop() {
				work <- struct{}{}
			}
			close(work)
			wg.Wait()
		})
	}
}

func BenchmarkVerifyAudit(b *testing.B) {
	s, err := Open(context.Background(), Options{SQLiteFile: filepath.Join(b.TempDir(), "a.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	const rows = 10_000
	if err := s.AppendAudit(context.Background(), someAudit(rows)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.VerifyAudit(context.Background(), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/rows, "µs/row")
}
