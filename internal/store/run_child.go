package store

import (
	"fmt"

	"nanoclaw/internal/models"
)

// AddChild stores a sub-agent as a queued run. One that an earlier attempt made is
// found by its ChildKey and kept as it is; then made is false.
func (tx *Tx) AddChild(child *models.Run) (stored *models.Run, made bool, err error) {
	var found []*models.Run
	if err := tx.db.Where("child_key = ?", *child.ChildKey).Limit(1).Find(&found).Error; err != nil {
		return nil, false, fmt.Errorf("look for sub-agent %s: %w", *child.ChildKey, err)
	}
	if len(found) == 1 {
		return found[0], false, nil
	}
	child.Status = models.RunQueued
	if err := tx.db.Create(child).Error; err != nil {
		return nil, false, fmt.Errorf("store sub-agent %s: %w", *child.ChildKey, err)
	}
	return child, true, nil
}

// SetChildState moves a sub-agent between queued, running and waiting_approval, and
// keeps how long it has worked.
func (tx *Tx) SetChildState(child *models.Run, status string) error {
	child.Status = status
	if child.StartedAt == 0 && status == models.RunRunning {
		child.StartedAt = models.Now()
	}
	if err := tx.db.Model(child).Select("status", "started_at", "worked_micros").Updates(child).Error; err != nil {
		return fmt.Errorf("set sub-agent %s to %s: %w", child.ID, status, err)
	}
	return nil
}

// EndChild stores a sub-agent's end: its Status, Response, Incomplete, error and
// worked time; what is left below it ends too.
func (tx *Tx) EndChild(child *models.Run) (Ended, error) {
	child.FinishedAt = models.Now()
	err := tx.db.Model(child).
		Select("status", "response", "incomplete", "error_code", "error_message", "finished_at", "worked_micros").
		Updates(child).Error
	if err != nil {
		return Ended{}, fmt.Errorf("store the end of sub-agent %s: %w", child.ID, err)
	}
	ended, err := endBelow(tx.db, child)
	if err != nil {
		return Ended{}, err
	}
	return ended, tx.progress()
}
