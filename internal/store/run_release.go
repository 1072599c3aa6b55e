package store

import (
	"fmt"
	"time"

	"nanoclaw/internal/models"
)

// Release queues a run again that this worker cannot finish now. A work message for
// it must be sent.
func (tx *Tx) Release(worked time.Duration) (*models.Run, error) {
	return tx.letGo(models.RunQueued, worked)
}

// AwaitApproval lets go of a run in which nothing can go on before a person has
// decided: it is waiting_approval, nobody's, and in no queue. seen are the
// approvals whose decisions the worker knows. Where another one was decided
// meanwhile, or the run was told to stop, it returns false and the run stays the
// worker's, who has to go on.
func (tx *Tx) AwaitApproval(worked time.Duration, seen map[string]models.Time) (waits bool, err error) {
	unseen, err := unseenDecisions(tx.db, tx.fence.RootRunID, seen)
	if err == nil && !unseen {
		unseen, err = tx.unseenClientResults()
	}
	if err != nil || unseen {
		return false, err
	}
	var stopped int64
	err = tx.db.Model(&models.Run{}).Where("root_run_id = ? AND cancel_requested_at <> 0 AND status IN ?",
		tx.fence.RootRunID, []string{models.RunQueued, models.RunRunning, models.RunWaitingApproval}).
		Count(&stopped).Error
	if err != nil {
		return false, fmt.Errorf("let run %s wait: %w", tx.fence.RootRunID, err)
	}
	if stopped > 0 {
		return false, nil
	}
	_, err = tx.letGo(models.RunWaitingApproval, worked)
	return err == nil, err
}

func (tx *Tx) letGo(status string, worked time.Duration) (*models.Run, error) {
	run, err := tx.lockRun(tx.fence.RootRunID)
	if err != nil {
		return nil, err
	}
	run.Status = status
	run.LeaseUntil = 0
	run.StaleAttempts = 0
	run.WorkedMicros += worked.Microseconds()
	if status == models.RunQueued {
		run.EnqueueNo++
	}
	err = tx.db.Model(run).Select("status", "lease_until", "stale_attempts", "worked_micros", "enqueue_no").
		Updates(run).Error
	if err != nil {
		return nil, fmt.Errorf("release run %s: %w", run.ID, err)
	}
	return run, nil
}
