package store

import (
	"encoding/json"
	"fmt"

	"nanoclaw/internal/models"
)

// Steer stores a message into a root run at work, of whoever it acts for. All that was sent to the
// run may have maxBytes together. Errors: not_found, forbidden, invalid_arguments, and conflict where
// the run takes no messages, or no more of them.
func (tx *Tx) Steer(userID, runID string, message models.Steering, maxBytes int) (*models.Run, error) {
	run, err := tx.lockRun(runID)
	if err != nil {
		return nil, err
	}
	if err := tx.reaches(userID, run, runID); err != nil {
		return nil, err
	}
	switch {
	case run.Actor() != userID:
		return nil, &Error{Code: CodeForbidden,
			Message: "the run acts for the one who started it: only they can send it messages"}
	case run.ParentRunID != "":
		return nil, conflict("run %s is a sub-agent's: send the message to its root run %s", run.ID, run.RootRunID)
	case models.RunEnded(run.Status) || run.CancelRequestedAt != 0:
		return nil, conflict("run %s has ended or is stopping: send a message to its conversation", run.ID)
	case run.Deferred:
		return nil, conflict("run %s waits for its turn: send the message once it is at work", run.ID)
	}
	size := len(message.Text)
	for _, before := range run.Steering {
		size += len(before.Text)
	}
	if size > maxBytes {
		return nil, conflict("what was sent to run %s would be over %d bytes together: wait for its end", run.ID, maxBytes)
	}
	message.Before = -1
	run.Steering = append(run.Steering, message)
	return run, tx.storeSteering(run)
}

// Steering is what was sent to the fence's run.
func (tx *Tx) Steering() ([]models.Steering, error) {
	if tx.steering == "" {
		return nil, nil
	}
	var list []models.Steering
	if err := json.Unmarshal([]byte(tx.steering), &list); err != nil {
		return nil, fmt.Errorf("read what was sent to run %s: %w", tx.fence.RootRunID, err)
	}
	return list, nil
}

// PlaceSteering stores before which steps messages of the fence's run stand.
func (tx *Tx) PlaceSteering(list []models.Steering) error {
	return tx.storeSteering(&models.Run{ID: tx.fence.RootRunID, Steering: list})
}

func (tx *Tx) storeSteering(run *models.Run) error {
	if err := tx.db.Model(run).Select("steering").Updates(run).Error; err != nil {
		return fmt.Errorf("store what was sent to run %s: %w", run.ID, err)
	}
	return nil
}
