package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// Release gives a run back that this worker cannot finish now: it is queued
// again, and the work message that is returned must be sent.
func (s *Store) Release(ctx context.Context, f Fence, worked time.Duration,
	out func(run *models.Run) []*models.Outbox) ([]*models.Outbox, error) {
	var rows []*models.Outbox
	err := s.fenced(ctx, f, "release", func(tx *gorm.DB) error {
		run, err := letGo(tx, f, models.RunQueued, worked)
		if err != nil {
			return err
		}
		rows = out(run)
		return addOutbox(tx, rows)
	})
	if err != nil {
		return nil, fmt.Errorf("give run %s back: %w", f.RootRunID, err)
	}
	return rows, nil
}

// AwaitApproval lets go of a run in which nothing can go on before a person has
// decided: it is waiting_approval, nobody's, and in no queue. seen are the
// approvals whose decisions the worker knows. Where another one was decided
// meanwhile, or the run was told to stop, it returns false and the run stays the
// worker's, who has to go on.
func (s *Store) AwaitApproval(ctx context.Context, f Fence, worked time.Duration,
	seen map[string]models.Time) (waits bool, err error) {
	err = s.fenced(ctx, f, "waiting", func(tx *gorm.DB) error {
		waits = false
		unseen, err := unseenDecisions(tx, f.RootRunID, seen)
		if err != nil || unseen {
			return err
		}
		var stopped int64
		err = tx.Model(&models.Run{}).Where("root_run_id = ? AND cancel_requested_at <> 0 AND status IN ?", f.RootRunID,
			[]string{models.RunQueued, models.RunRunning, models.RunWaitingApproval}).Count(&stopped).Error
		if err != nil || stopped > 0 {
			return err
		}
		waits = true
		_, err = letGo(tx, f, models.RunWaitingApproval, worked)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("let run %s wait: %w", f.RootRunID, err)
	}
	return waits, nil
}

func letGo(tx *gorm.DB, f Fence, status string, worked time.Duration) (*models.Run, error) {
	var run models.Run
	if err := tx.Take(&run, "id = ?", f.RootRunID).Error; err != nil {
		return nil, err
	}
	run.Status = status
	run.LeaseUntil = 0
	run.StaleAttempts = 0
	run.WorkedMicros += worked.Microseconds()
	if status == models.RunQueued {
		run.EnqueueNo++
	}
	err := tx.Model(&run).Select("status", "lease_until", "stale_attempts", "worked_micros",
		"enqueue_no").Updates(&run).Error
	return &run, err
}
