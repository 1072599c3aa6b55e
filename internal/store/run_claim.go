package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/fault"
	"nanoclaw/internal/models"
)

// Claim makes a worker the owner of a root run for the length of a lease, with a
// new attempt number. enqueueNo is that of the work message: an older one is
// stale. It returns nil where there is nothing to do: the run has ended, waits
// for its turn, is another worker's whose lease still holds, or the message was
// already taken. out says what to send of the start; it is sent by the caller.
func (s *Store) Claim(ctx context.Context, runID string, enqueueNo int, owner string, lease time.Duration,
	out func(run *models.Run) []*models.Outbox) (*models.Run, []*models.Outbox, error) {
	var claimed *models.Run
	var rows []*models.Outbox
	err := s.tx(ctx, func(tx *gorm.DB) error {
		var run models.Run
		err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&run, "id = ?", runID).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		now := models.Now()
		taken := run.ClaimedNo >= enqueueNo && run.LeaseUntil > now
		if models.RunEnded(run.Status) || run.Deferred || run.ParentRunID != "" || enqueueNo < run.EnqueueNo || taken {
			return nil
		}
		run.Attempt++
		run.StaleAttempts++
		run.ClaimedNo = enqueueNo
		run.Status = models.RunRunning
		run.LeaseOwner = owner
		run.LeaseUntil = models.TimeOf(time.Now().Add(lease))
		if run.StartedAt == 0 {
			run.StartedAt = now
		}
		err = tx.Model(&run).Select("attempt", "stale_attempts", "claimed_no", "status", "lease_owner", "lease_until",
			"started_at").
			Updates(&run).Error
		if err != nil {
			return err
		}
		claimed, rows = &run, out(&run)
		fault.Point("claim.during")
		return addOutbox(tx, rows)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("claim run %s: %w", runID, err)
	}
	fault.Point("claim.after")
	return claimed, rows, nil
}

// ExtendLease tells the other workers that this one still works on the run. It
// returns ErrFenced when the run was lost.
func (s *Store) ExtendLease(ctx context.Context, f Fence, lease time.Duration) error {
	return s.fenced(ctx, f, "lease", func(tx *gorm.DB) error {
		return tx.Model(&models.Run{}).Where("id = ?", f.RootRunID).
			Update("lease_until", models.TimeOf(time.Now().Add(lease))).Error
	})
}

// Enqueue makes a new work message for a root run that is queued, waits for an
// approval or was left running, and lets any worker take it at once. It returns
// nothing where the run has ended or waits for its turn.
func (s *Store) Enqueue(ctx context.Context, runID string,
	out func(run *models.Run) []*models.Outbox) ([]*models.Outbox, error) {
	var rows []*models.Outbox
	err := s.tx(ctx, func(tx *gorm.DB) error {
		var run models.Run
		err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&run, "id = ?", runID).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if models.RunEnded(run.Status) || run.Deferred {
			return nil
		}
		run.EnqueueNo++
		run.LeaseUntil = 0
		if err := tx.Model(&run).Select("enqueue_no", "lease_until").Updates(&run).Error; err != nil {
			return err
		}
		rows = out(&run)
		return addOutbox(tx, rows)
	})
	if err != nil {
		return nil, fmt.Errorf("enqueue run %s: %w", runID, err)
	}
	return rows, nil
}

// UnfinishedRuns returns the root runs that a process that died may have left:
// queued and running ones, oldest first.
func (s *Store) UnfinishedRuns(ctx context.Context) ([]string, error) {
	var ids []string
	err := s.read(ctx).Model(&models.Run{}).
		Where("parent_run_id = '' AND deferred = ? AND status IN ?", false, []string{models.RunQueued,
			models.RunRunning}).
		Order("id").Pluck("id", &ids).Error
	if err != nil {
		return nil, fmt.Errorf("look for unfinished runs: %w", err)
	}
	return ids, nil
}

// LostRuns returns the running root runs whose lease ended before the moment.
func (s *Store) LostRuns(ctx context.Context, before models.Time) ([]string, error) {
	var ids []string
	err := s.read(ctx).Model(&models.Run{}).
		Where("parent_run_id = '' AND status = ? AND lease_until <= ?", models.RunRunning, before).
		Order("id").Pluck("id", &ids).Error
	if err != nil {
		return nil, fmt.Errorf("look for lost runs: %w", err)
	}
	return ids, nil
}
