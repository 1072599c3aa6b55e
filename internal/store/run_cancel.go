package store

import (
	"context"
	"fmt"

	"nanoclaw/internal/models"
)

// Cancellation is what a wish to stop a run led to.
type Cancellation struct {
	Run     *models.Run
	Root    *models.Run // of its tree, or Run itself
	Changed bool        // false: the run had ended, or was told to stop before
	Queued  bool        // the tree waited for a person, and is queued so that somebody acts on the wish
}

// RequestCancel stores that a run, of any user's tree that is theirs, is to
// stop, before anybody acts on it. A run that waits for its turn ends at once.
func (tx *Tx) RequestCancel(userID, runID string) (Cancellation, error) {
	run, err := tx.lockInTree(runID)
	if err != nil {
		return Cancellation{}, err
	}
	if err := tx.reaches(userID, run, runID); err != nil {
		return Cancellation{}, err
	}
	done := Cancellation{Run: run, Root: run}
	if models.RunEnded(run.Status) || run.CancelRequestedAt != 0 {
		return done, nil
	}
	done.Changed = true
	run.CancelRequestedAt = models.Now()
	if run.Deferred {
		run.Status, run.Deferred, run.FinishedAt = models.RunCancelled, false, run.CancelRequestedAt
		run.ErrorCode, run.ErrorMessage = "cancelled", "the run was cancelled before it started"
	}
	err = tx.db.Model(run).Select("cancel_requested_at", "status", "deferred", "finished_at", "error_code",
		"error_message").Updates(run).Error
	if err != nil {
		return Cancellation{}, fmt.Errorf("note that run %s is to stop: %w", runID, err)
	}
	if models.RunEnded(run.Status) {
		return done, nil
	}
	if done.Root, done.Queued, err = wake(tx.db, run.RootRunID); err != nil {
		return Cancellation{}, err
	}
	if done.Root.ID == run.ID {
		run.Status, run.EnqueueNo = done.Root.Status, done.Root.EnqueueNo
	}
	return done, nil
}

// reaches says with not_found or forbidden that a user may not touch a run.
func (tx *Tx) reaches(userID string, run *models.Run, runID string) error {
	switch {
	case run == nil:
		return notFound("run", runID)
	case run.UserID == userID:
		return nil
	}
	_, err := getConversation(fresh(tx.db), userID, run.ConversationID)
	if IsCode(err, CodeNotFound) {
		return notFound("run", runID)
	}
	return err
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
