package store

import (
	"context"
	"errors"
	"testing"

	"gorm.io/gorm"
)

// CH3: a transaction whose context ends says that it was stopped, at whatever moment
// that happens: who cancels a run must not read of an internal error.
func TestAStoppedTransactionSaysSo(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		runs := map[string]func(context.Context, func(*gorm.DB) error) error{"write": s.tx, "snapshot": s.snapshot}
		for name, run := range runs {
			t.Run(name, func(t *testing.T) {
				for range 500 { // the moment is the scheduler's
					ctx, cancel := context.WithCancel(t.Context())
					go cancel()
					if err := run(ctx, func(tx *gorm.DB) error { return nil }); err != nil && !errors.Is(err,
						context.Canceled) {
						t.Fatalf("stopped at the beginning or the end: %v", err)
					}
				}
				ctx, cancel := context.WithCancel(t.Context())
				err := run(ctx, func(tx *gorm.DB) error {
					cancel()
					for tx.Exec("SELECT 1").Error == nil {
					}
					return nil
				})
				if !errors.Is(err, context.Canceled) {
					t.Errorf("rolled back before its commit: %v", err)
				}
			})
		}
	})
}
