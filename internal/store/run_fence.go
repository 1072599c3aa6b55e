package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/fault"
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

// fenced runs fn in a transaction that holds only while the fence does. name is
// what a test calls the moments before, in and after it.
func (s *Store) fenced(ctx context.Context, f Fence, name string, fn func(tx *gorm.DB) error) error {
	fault.Point(name + ".before")
	err := s.tx(ctx, func(tx *gorm.DB) error {
		var root models.Run
		err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).
			Select("id", "attempt", "status").Take(&root, "id = ?", f.RootRunID).Error
		if err != nil {
			return fmt.Errorf("check the fence of run %s: %w", f.RootRunID, err)
		}
		if root.Attempt != f.Attempt || root.Status != models.RunRunning {
			return ErrFenced
		}
		if err := fn(tx); err != nil {
			return err
		}
		fault.Point(name + ".during")
		return nil
	})
	if err == nil {
		fault.Point(name + ".after")
	}
	return err
}
