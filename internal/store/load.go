package store

import (
	"context"
	"fmt"

	"nanoclaw/internal/models"
)

// Load is how much work waits.
type Load struct {
	QueuedRuns       int64
	OldestQueued     models.Time // creation of the run that waits longest; 0: none
	PendingApprovals int64
	OutboxRows       int64
}

// Load counts the work that waits in the database.
func (s *Store) Load(ctx context.Context) (Load, error) {
	var load Load
	db := s.read(ctx)
	queued := db.Model(&models.Run{}).Where("status = ? AND parent_run_id = ''", models.RunQueued)
	if err := queued.Count(&load.QueuedRuns).Error; err != nil {
		return Load{}, fmt.Errorf("count queued runs: %w", err)
	}
	if load.QueuedRuns > 0 {
		if err := queued.Select("COALESCE(MIN(created_at), 0)").Scan(&load.OldestQueued).Error; err != nil {
			return Load{}, fmt.Errorf("find the oldest queued run: %w", err)
		}
	}
	pending := db.Model(&models.Approval{}).Where("status = ?", models.ApprovalPending)
	if err := pending.Count(&load.PendingApprovals).Error; err != nil {
		return Load{}, fmt.Errorf("count pending approvals: %w", err)
	}
	if err := db.Model(&models.Outbox{}).Count(&load.OutboxRows).Error; err != nil {
		return Load{}, fmt.Errorf("count outbox rows: %w", err)
	}
	return load, nil
}
