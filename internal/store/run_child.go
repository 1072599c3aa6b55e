package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// StartChildren stores the sub-agents of one call as queued runs. A child that an
// earlier attempt made is found by its ChildKey and kept as it is. The runs come
// back in order; out is asked only for those that are new.
func (s *Store) StartChildren(ctx context.Context, f Fence, children []*models.Run,
	out func(child *models.Run) []*models.Outbox) ([]*models.Run, []*models.Outbox, error) {
	runs := make([]*models.Run, len(children))
	var rows []*models.Outbox
	err := s.fenced(ctx, f, "children", func(tx *gorm.DB) error {
		for i, child := range children {
			var found []*models.Run
			if err := tx.Where("child_key = ?", *child.ChildKey).Limit(1).Find(&found).Error; err != nil {
				return fmt.Errorf("look for sub-agent %s: %w", *child.ChildKey, err)
			}
			if len(found) == 1 {
				runs[i] = found[0]
				continue
			}
			child.Status = models.RunQueued
			if err := tx.Create(child).Error; err != nil {
				return fmt.Errorf("store sub-agent %s: %w", *child.ChildKey, err)
			}
			runs[i] = child
			rows = append(rows, out(child)...)
		}
		return addOutbox(tx, rows)
	})
	return runs, rows, err
}

// ChildState moves a sub-agent between queued, running and waiting_approval, and
// keeps how long it has worked.
func (s *Store) ChildState(ctx context.Context, f Fence, child *models.Run, status string, out []*models.Outbox) error {
	return s.fenced(ctx, f, "child_state", func(tx *gorm.DB) error {
		child.Status = status
		if child.StartedAt == 0 && status == models.RunRunning {
			child.StartedAt = models.Now()
		}
		err := tx.Model(child).Select("status", "started_at", "worked_micros").Updates(child).Error
		if err != nil {
			return fmt.Errorf("set sub-agent %s to %s: %w", child.ID, status, err)
		}
		return addOutbox(tx, out)
	})
}

// FinishChild stores a sub-agent's end: its Status, Response, Incomplete, error
// and worked time; what is left below it ends too. It returns what is to be sent.
func (s *Store) FinishChild(ctx context.Context, f Fence, child *models.Run,
	out func(Ended) []*models.Outbox) ([]*models.Outbox, error) {
	var rows []*models.Outbox
	err := s.fenced(ctx, f, "child_finished", func(tx *gorm.DB) error {
		child.FinishedAt = models.Now()
		err := tx.Model(child).
			Select("status", "response", "incomplete", "error_code", "error_message", "finished_at", "worked_micros").
			Updates(child).Error
		if err != nil {
			return fmt.Errorf("store the end of sub-agent %s: %w", child.ID, err)
		}
		ended, err := endBelow(tx, child)
		if err != nil {
			return err
		}
		rows = out(ended)
		return s.progress(tx, f, rows)
	})
	return rows, err
}
