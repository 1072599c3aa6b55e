package store

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// Reopen queues a root run again that was interrupted or failed: it goes on
// behind its last checkpoint, and its message is replaced when it ends. It
// returns not_found, conflict for a run in another state, and a *BusyError where
// the conversation has an active run by now.
func (s *Store) Reopen(ctx context.Context, userID, runID string,
	out func(run *models.Run) []*models.Outbox) (*models.Run, []*models.Outbox, error) {
	var run models.Run
	var rows []*models.Outbox
	err := s.tx(ctx, func(tx *gorm.DB) error {
		err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&run, "id = ? AND user_id = ?", runID, userID).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return notFound("run", runID)
		}
		if err != nil {
			return err
		}
		if run.ParentRunID != "" || (run.Status != models.RunInterrupted && run.Status != models.RunFailed) {
			return conflict("run %s is %s: only a root run that failed or was interrupted can be continued", run.ID,
				run.Status)
		}
		busy, err := activeRun(tx, run.ConversationID)
		if err != nil {
			return err
		}
		if busy != "" {
			return &BusyError{RunID: busy}
		}
		if err := forgetPartial(tx, run.ID); err != nil {
			return err
		}
		run.Status, run.ErrorCode, run.ErrorMessage = models.RunQueued, "", ""
		run.StaleAttempts, run.FinishedAt, run.CancelRequestedAt, run.WorkedMicros = 0, 0, 0, 0
		activate(&run)
		err = tx.Model(&run).Select("status", "error_code", "error_message", "stale_attempts", "finished_at",
			"cancel_requested_at",
			"worked_micros", "active_key", "deferred", "enqueue_no").Updates(&run).Error
		if err != nil {
			return fmt.Errorf("reopen run %s: %w", run.ID, err)
		}
		rows = out(&run)
		return addOutbox(tx, rows)
	})
	if err != nil {
		return nil, nil, err
	}
	return &run, rows, nil
}

// forgetPartial removes the text of a turn that was stopped: it is made anew.
func forgetPartial(tx *gorm.DB, runID string) error {
	if err := tx.Delete(&models.Step{}, "run_id = ? AND partial = ?", runID, true).Error; err != nil {
		return fmt.Errorf("remove the partial step of run %s: %w", runID, err)
	}
	return nil
}
