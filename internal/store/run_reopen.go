package store

import (
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// Reopen queues a root run again that was interrupted or failed: it goes on
// behind its last checkpoint, and its message is replaced when it ends. It
// returns not_found, conflict for a run in another state, and a *BusyError where
// the conversation has an active run by now.
func (tx *Tx) Reopen(userID, runID string) (*models.Run, error) {
	run, err := tx.lockRun(runID)
	if err != nil {
		return nil, err
	}
	if err := tx.reaches(userID, run, runID); err != nil {
		return nil, err
	}
	if run.ParentRunID != "" || (run.Status != models.RunInterrupted && run.Status != models.RunFailed) {
		return nil, conflict("run %s is %s: only a root run that failed or was interrupted can be continued", run.ID,
			run.Status)
	}
	if _, err := lockConversation(tx.db, userID, run.ConversationID, 0); err != nil {
		return nil, err
	}
	busy, err := activeRun(tx.db, run.ConversationID)
	if err != nil {
		return nil, err
	}
	if busy != "" {
		return nil, &BusyError{RunID: busy}
	}
	if err := forgetPartial(tx.db, run.ID); err != nil {
		return nil, err
	}
	run.Status, run.ErrorCode, run.ErrorMessage = models.RunQueued, "", ""
	run.StaleAttempts, run.FinishedAt, run.CancelRequestedAt, run.WorkedMicros = 0, 0, 0, 0
	activate(run)
	err = tx.db.Model(run).Select("status", "error_code", "error_message", "stale_attempts", "finished_at",
		"cancel_requested_at", "worked_micros", "active_key", "deferred", "enqueue_no").Updates(run).Error
	if err != nil {
		return nil, fmt.Errorf("reopen run %s: %w", run.ID, err)
	}
	if run.Settings.Task != nil { // its end is to be announced anew
		err := tx.db.Model(&models.Conversation{}).Where("id = ?", run.ConversationID).
			UpdateColumn("task_announced", false).Error
		if err != nil {
			return nil, fmt.Errorf("reopen task %s: %w", run.ID, err)
		}
	}
	return run, nil
}

// forgetPartial removes the text of a turn that was stopped: it is made anew.
func forgetPartial(tx *gorm.DB, runID string) error {
	if err := tx.Delete(&models.Step{}, "run_id = ? AND partial = ?", runID, true).Error; err != nil {
		return fmt.Errorf("remove the partial step of run %s: %w", runID, err)
	}
	return nil
}
