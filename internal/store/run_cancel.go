package store

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// RequestCancel stores that a run, of any user's tree that is theirs, is to
// stop, before anybody acts on it. It returns the run as it is then; one that
// has ended is returned unchanged. A run that waits for its turn ends at once. A
// tree that waits for a person is queued again, so that somebody acts on it: then
// queued is true, and the work message of root is to be sent.
func (s *Store) RequestCancel(ctx context.Context, userID, runID string, out func(run, root *models.Run,
	queued bool) []*models.Outbox) (*models.Run, []*models.Outbox, error) {
	var run models.Run
	var rows []*models.Outbox
	err := s.tx(ctx, func(tx *gorm.DB) error {
		run, rows = models.Run{}, nil
		err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&run, "id = ? AND user_id = ?", runID, userID).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return &Error{Code: CodeNotFound, Message: fmt.Sprintf("there is no run %s", runID)}
		}
		if err != nil {
			return err
		}
		if models.RunEnded(run.Status) || run.CancelRequestedAt != 0 {
			return nil
		}
		run.CancelRequestedAt = models.Now()
		if run.Deferred {
			run.Status, run.Deferred, run.FinishedAt = models.RunCancelled, false, run.CancelRequestedAt
			run.ErrorCode, run.ErrorMessage = "cancelled", "the run was cancelled before it started"
		}
		err = tx.Model(&run).Select("cancel_requested_at", "status", "deferred", "finished_at", "error_code",
			"error_message").Updates(&run).Error
		if err != nil {
			return err
		}
		root, queued := &run, false
		if !run.Deferred && !models.RunEnded(run.Status) {
			if root, queued, err = wake(tx, run.RootRunID); err != nil {
				return err
			}
		}
		if root.ID == run.ID {
			run.Status, run.EnqueueNo = root.Status, root.EnqueueNo
		}
		rows = out(&run, root, queued)
		return addOutbox(tx, rows)
	})
	if err != nil {
		return nil, nil, err
	}
	return &run, rows, nil
}

// CancelRequested says which runs of a tree were told to stop.
func (s *Store) CancelRequested(ctx context.Context, rootRunID string) (map[string]bool, error) {
	var ids []string
	err := s.read(ctx).Model(&models.Run{}).Where("root_run_id = ? AND cancel_requested_at <> 0", rootRunID).Pluck("id",
		&ids).Error
	if err != nil {
		return nil, fmt.Errorf("look for cancelled runs below %s: %w", rootRunID, err)
	}
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set, nil
}
