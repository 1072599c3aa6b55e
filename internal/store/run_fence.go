package store

import (
	"context"
	"database/sql"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// CodeFenced is the code of ErrFenced.
const CodeFenced = "fenced"

// ErrFenced says that another worker has taken the run, or that it has ended:
// the write did not happen and the caller must stop working on the run.
var ErrFenced = &Error{Code: CodeFenced, Message: "the run is no longer this worker's"}

// Fence is the right to write to a tree of runs: the root run and the attempt
// that the worker claimed.
type Fence struct {
	RootRunID string
	Attempt   int
}

// enter checks that the tree is the worker's.
func (tx *Tx) enter(f Fence) error {
	var attempt, stale int
	var status string
	var steering sql.NullString
	query := "SELECT attempt, status, stale_attempts, steering FROM runs WHERE id = ?"
	if tx.store.dialect.shared() {
		query += " FOR NO KEY UPDATE"
	}
	err := tx.db.Raw(query, f.RootRunID).Row().Scan(&attempt, &status, &stale, &steering)
	if err != nil {
		return fmt.Errorf("check the fence of run %s: %w", f.RootRunID, err)
	}
	if attempt != f.Attempt || status != models.RunRunning {
		return ErrFenced
	}
	tx.fence, tx.stale, tx.steering = f, stale != 0, steering.String
	return nil
}

// progress ends every checkpoint: the run has moved on since it was claimed.
func (tx *Tx) progress() error {
	if !tx.stale {
		return nil
	}
	tx.stale = false
	err := tx.db.Model(&models.Run{}).Where("id = ?", tx.fence.RootRunID).Update("stale_attempts", 0).Error
	if err != nil {
		return fmt.Errorf("note the progress of run %s: %w", tx.fence.RootRunID, err)
	}
	return nil
}

// fenced is InFence for the approvals.
func (s *Store) fenced(ctx context.Context, f Fence, name string, fn func(tx *gorm.DB) error) error {
	return s.InFence(ctx, f, name, func(tx *Tx) error { return fn(tx.db) })
}

// progress is the end of an approval's checkpoint, with its messages.
func (s *Store) progress(db *gorm.DB, f Fence, out []*models.Outbox) error {
	if err := (&Tx{store: s, db: db, fence: f, stale: true}).progress(); err != nil {
		return err
	}
	return addOutbox(db, out)
}
