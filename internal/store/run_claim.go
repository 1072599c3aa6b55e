package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// Claim makes a worker the owner of a root run for the length of a lease, with a
// new attempt number. enqueueNo is that of the work message: an older one is
// stale. It returns nil where there is nothing to do: the run has ended, waits
// for its turn, is another worker's whose lease still holds, or the message was
// already taken.
func (tx *Tx) Claim(runID string, enqueueNo int, owner string, lease time.Duration) (*models.Run, error) {
	run, err := tx.lockRun(runID)
	if err != nil || run == nil {
		return nil, err
	}
	taken := run.ClaimedNo >= enqueueNo && run.LeaseUntil > models.Now()
	if models.RunEnded(run.Status) || run.Deferred || run.ParentRunID != "" || enqueueNo < run.EnqueueNo || taken {
		return nil, nil
	}
	own(run, enqueueNo, owner, lease)
	err = tx.db.Model(run).Select("attempt", "stale_attempts", "claimed_no", "status", "lease_owner", "lease_until",
		"started_at").Updates(run).Error
	if err != nil {
		return nil, fmt.Errorf("claim run %s: %w", runID, err)
	}
	return run, nil
}

// own makes a run a worker's.
func own(run *models.Run, enqueueNo int, owner string, lease time.Duration) {
	run.Attempt++
	run.StaleAttempts++
	run.ClaimedNo = enqueueNo
	run.Status = models.RunRunning
	run.LeaseOwner = owner
	run.LeaseUntil = models.TimeOf(time.Now().Add(lease))
	if run.StartedAt == 0 {
		run.StartedAt = models.Now()
	}
}

// lockRun reads a run that is about to change; nil: there is none.
func (tx *Tx) lockRun(runID string) (*models.Run, error) {
	var found []*models.Run
	err := tx.db.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", runID).Limit(1).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", runID, err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return found[0], nil
}

// lockInTree is lockRun behind the lock of the tree's root, as the worker of the tree
// takes them.
func (tx *Tx) lockInTree(runID string) (*models.Run, error) {
	var roots []string
	err := tx.db.Model(&models.Run{}).Where("id = ?", runID).Pluck("root_run_id", &roots).Error
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", runID, err)
	}
	if len(roots) == 1 && roots[0] != runID {
		if err := tx.lockTree(roots[0]); err != nil {
			return nil, err
		}
	}
	return tx.lockRun(runID)
}

// lockTree locks a root run, and so the whole tree, until the end of the transaction.
func (tx *Tx) lockTree(rootRunID string) error {
	var ids []string
	err := tx.db.Model(&models.Run{}).Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", rootRunID).
		Pluck("id", &ids).Error
	if err != nil {
		return fmt.Errorf("lock run %s: %w", rootRunID, err)
	}
	return nil
}

// RenewLeases tells the other workers that this one still works on its runs. It
// returns the fences of those that it has lost.
func (s *Store) RenewLeases(ctx context.Context, held []Fence, lease time.Duration) (lost []Fence, err error) {
	if len(held) == 0 {
		return nil, nil
	}
	values := []any{models.TimeOf(time.Now().Add(lease)), models.RunRunning}
	for _, f := range held {
		values = append(values, f.RootRunID, f.Attempt)
	}
	query := "UPDATE runs SET lease_until = ? WHERE status = ? AND (id = ? AND attempt = ?" +
		strings.Repeat(" OR id = ? AND attempt = ?", len(held)-1) + ") RETURNING id"
	renewed := map[string]bool{}
	err = s.InTx(ctx, func(tx *Tx) error {
		var ids []string
		err := tx.db.Raw(query, values...).Scan(&ids).Error
		for _, id := range ids {
			renewed[id] = true
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("renew the leases of %d runs: %w", len(held), err)
	}
	return slices.DeleteFunc(slices.Clone(held), func(f Fence) bool { return renewed[f.RootRunID] }), nil
}

// Enqueue makes a new work message due for a root run that is queued, waits for an
// approval or was left running, and lets any worker take it at once. It returns
// nil where the run has ended or waits for its turn, and, in a database that other
// processes share, where another one than owner holds its lease or has just queued it:
// nobody else does for the length of lease.
func (tx *Tx) Enqueue(runID, owner string, lease time.Duration) (*models.Run, error) {
	run, err := tx.lockRun(runID)
	if err != nil || run == nil || models.RunEnded(run.Status) || run.Deferred {
		return nil, err
	}
	held := run.Status == models.RunRunning && run.LeaseUntil > models.Now() && run.LeaseOwner != owner
	if held && tx.store.Shared() {
		return nil, nil
	}
	run.EnqueueNo++
	run.LeaseUntil = 0
	if tx.store.Shared() && run.Status == models.RunRunning {
		run.LeaseUntil, run.LeaseOwner = models.TimeOf(time.Now().Add(lease)), ""
	}
	if err := tx.db.Model(run).Select("enqueue_no", "lease_until", "lease_owner").Updates(run).Error; err != nil {
		return nil, fmt.Errorf("enqueue run %s: %w", runID, err)
	}
	return run, nil
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

// LostRun is a running root run whose lease has ended.
type LostRun struct {
	ID        string
	EnqueueNo int // its last one
}

// LostRuns returns the running root runs whose lease ended before the moment.
func (s *Store) LostRuns(ctx context.Context, before models.Time) ([]LostRun, error) {
	var lost []LostRun
	err := s.read(ctx).Model(&models.Run{}).Select("id", "enqueue_no").
		Where("parent_run_id = '' AND status = ? AND lease_until <= ?", models.RunRunning, before).
		Order("id").Find(&lost).Error
	if err != nil {
		return nil, fmt.Errorf("look for lost runs: %w", err)
	}
	return lost, nil
}
