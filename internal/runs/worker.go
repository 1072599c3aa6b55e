package runs

import (
	"context"
	"encoding/json"
	"time"

	"nanoclaw/internal/fault"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/store"
)

// retryWork is after how long a work message comes again that nobody took.
const retryWork = 10 * time.Second

// overdueEvery is how often calls are looked for that waited too long for a person.
const overdueEvery = time.Second

// work takes work messages while there is a free worker.
func (s *Service) work(ctx context.Context) {
	acquire := func(ctx context.Context) func() {
		select {
		case s.slots <- struct{}{}:
			return s.freeSlot
		case <-ctx.Done():
			return nil
		}
	}
	s.Log.Work(ctx, retryWork, acquire, func(job eventlog.Job, release func()) {
		s.goDo(func() {
			defer release()
			s.take(job)
		})
	})
}

// freeWorker takes a worker's place for a run that needs no work message then. nil: no
// worker is free, or this process takes no work. Work messages that wait for a place are
// before it.
func (s *Service) freeWorker() (release func()) {
	if !s.working.Load() || s.draining.Load() {
		return nil
	}
	select {
	case s.slots <- struct{}{}:
		return s.freeSlot
	default:
		return nil
	}
}

func (s *Service) freeSlot() { <-s.slots }

// take claims the run of a work message and works on it.
func (s *Service) take(message eventlog.Job) {
	var job job
	if err := json.Unmarshal(message.Data, &job); err != nil {
		s.Logger.Error("dropped malformed work message", "error", err)
		message.Done()
		return
	}
	if s.draining.Load() {
		return // it comes again, to the next process
	}
	run, err := s.claim(job)
	if err != nil {
		s.Logger.Error("could not claim a run; it will be tried again", "run", job.RunID, "error", err)
		return
	}
	message.Done()
	if run == nil {
		return
	}
	s.execute(run)
}

// claim makes a run this worker's; nil: there is nothing to do.
func (s *Service) claim(job job) (run *models.Run, err error) {
	err = s.commitThen(s.ctx, func(tx *store.Tx) error {
		run, err = tx.Claim(job.RunID, job.EnqueueNo, s.Owner, s.Settings().Lease)
		if err != nil || run == nil {
			return err
		}
		tx.Send(startedRow(run))
		fault.Point("claim.during")
		return nil
	}, func() {
		if run != nil {
			s.hold(run)
		}
	})
	if err != nil {
		return nil, err
	}
	fault.Point("claim.after")
	return run, nil
}

func startedRow(run *models.Run) *models.Outbox {
	return eventRow(EventRunStarted, run, startedPayload{Run: ViewRun(run), Attempt: run.Attempt})
}

// claimToCancel takes a run that was told to stop without a worker's place: ending it
// is no work. A worker that takes it at the same time finds it taken, or it does.
func (s *Service) claimToCancel(runID string) {
	if s.draining.Load() {
		return
	}
	s.goDo(func() {
		run, err := s.Store.Run(s.ctx, "", runID)
		if err != nil || models.RunEnded(run.Status) || run.CancelRequestedAt == 0 {
			return // its work message is there
		}
		claimed, err := s.claim(job{RunID: runID, EnqueueNo: run.EnqueueNo})
		if err != nil || claimed == nil {
			return
		}
		s.execute(claimed)
	})
}

// maintain takes up runs that another worker lost, sends what was not sent, and deletes
// what was.
func (s *Service) maintain(ctx context.Context) {
	forget := time.NewTicker(forgetEvery)
	defer forget.Stop()
	overdue := time.NewTicker(overdueEvery)
	defer overdue.Stop()
	lease := time.NewTicker(leaseEvery(s.Settings().Lease))
	defer lease.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-forget.C:
			s.forgetSent(ctx)
		case <-overdue.C:
			if err := s.expireApprovals(ctx); err != nil && !passing(err) && ctx.Err() == nil {
				s.Logger.Warn("could not expire approvals", "error", err)
			}
			if err := s.expireClientCalls(ctx); err != nil && !passing(err) && ctx.Err() == nil {
				s.Logger.Warn("could not end calls that a client did not answer", "error", err)
			}
		case <-lease.C:
			if !s.sent.behind.Load() {
				if err := s.resend(ctx, models.TimeOf(time.Now().Add(-resendAfter))); err != nil && !passing(err) &&
					ctx.Err() == nil {
					s.Logger.Warn("unsent events are still kept", "error", err)
				}
			}
		}
	}
}

// repairEvery is how soon an outage's end is noticed.
const repairEvery = 500 * time.Millisecond

// repair does what an outage has prevented, until ctx ends.
func (s *Service) repair(ctx context.Context) {
	tick := time.NewTicker(repairEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.catchUp(ctx)
			s.requeueRuns(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// requeueRuns queues all runs again that nobody works on, where work messages may
// be gone: at the start, after NATS was replaced, after an end could not be stored.
// Those of another process that shares the database are left to it while their leases hold.
func (s *Service) requeueRuns(ctx context.Context) {
	if !s.requeue.CompareAndSwap(true, false) {
		return
	}
	ids, err := s.Store.UnfinishedRuns(ctx)
	count := 0
	for _, id := range ids {
		if s.holds(id) {
			continue
		}
		failed := s.enqueue(ctx, id)
		switch {
		case failed == nil:
			count++
		case passing(failed) || ctx.Err() != nil:
			err = failed
		default:
			s.Logger.Error("could not requeue a run", "run", id, "error", failed)
		}
	}
	if count > 0 {
		s.Logger.Info("requeued unfinished runs", "count", count)
	}
	if err != nil {
		s.requeue.Store(true)
	}
}

func (s *Service) enqueue(ctx context.Context, runID string) error {
	return s.commit(ctx, func(tx *store.Tx) error {
		run, err := tx.Enqueue(runID, s.Owner, s.Settings().Lease)
		if err != nil || run == nil {
			return err
		}
		tx.Send(workRow(run))
		return nil
	})
}
