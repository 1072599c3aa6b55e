package runs

import (
	"context"
	"math/rand/v2"
	"time"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// leaseEvery is how often a lease is renewed.
func leaseEvery(lease time.Duration) time.Duration { return max(lease/3, time.Second) }

// hold renews the lease of a run that was just claimed from now on, until letGo.
func (s *Service) hold(run *models.Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[run.ID] = store.Fence{RootRunID: run.ID, Attempt: run.Attempt}
}

// letGo ends hold, unless the run was claimed again meanwhile.
func (s *Service) letGo(run *models.Run, attempt int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[run.ID].Attempt == attempt {
		delete(s.held, run.ID)
	}
}

func (s *Service) holds(runID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, held := s.held[runID]
	return held
}

// keepLeases renews the leases of the runs that are this process's, until ctx ends. It
// waits for nothing but the database: other work may wait for the event log for longer
// than a lease.
func (s *Service) keepLeases(ctx context.Context) {
	tick := time.NewTicker(leaseEvery(s.Settings().Lease))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.renewLeases(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// renewLeases gives up in time for another try: the connection may be dead.
func (s *Service) renewLeases(ctx context.Context) {
	lease := s.Settings().Lease
	ctx, cancel := context.WithTimeout(ctx, max(lease/2, time.Second))
	defer cancel()
	s.mu.Lock()
	held := make([]store.Fence, 0, len(s.held))
	for _, fence := range s.held {
		held = append(held, fence)
	}
	s.mu.Unlock()
	lost, err := s.Store.RenewLeases(ctx, held, lease)
	if err != nil {
		s.Logger.Warn("could not renew leases", "count", len(held), "error", err)
	}
	for _, fence := range lost {
		if t := s.tree(fence.RootRunID); t != nil && t.fence == fence {
			t.cancel(agent.ErrLost)
		}
	}
}

// watchLost takes over what other workers lose, until ctx ends. Where other processes may
// die, it looks every second.
func (s *Service) watchLost(ctx context.Context) {
	every := leaseEvery(s.Settings().Lease)
	if s.Store.Shared() {
		every = time.Second
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := s.takeOver(ctx); err != nil && !passing(err) && ctx.Err() == nil {
			s.Logger.Warn("could not take over runs with expired leases", "error", err)
		}
	}
}

// takeOver takes running runs whose lease has ended. A free worker claims one at once: a
// work message would come back after retryWork only where it reaches a process that is
// frozen. Those without a worker are queued. Processes that share the database do so at the
// same time, each in an order of its own.
func (s *Service) takeOver(ctx context.Context) error {
	lost, err := s.Store.LostRuns(ctx, now())
	if err != nil {
		return err
	}
	rand.Shuffle(len(lost), func(i, j int) { lost[i], lost[j] = lost[j], lost[i] })
	for _, run := range lost {
		if !s.beginTaking(run.ID) {
			continue
		}
		release := s.freeWorker()
		s.goDo(func() {
			if release == nil {
				s.queueLost(ctx, run.ID)
				return
			}
			defer release()
			claimed, err := s.claim(job{RunID: run.ID, EnqueueNo: run.EnqueueNo})
			s.endTaking(run.ID)
			switch {
			case err != nil && s.ctx.Err() == nil:
				s.Logger.Warn("could not take over a run; it will be tried again", "run", run.ID, "error", err)
			case err == nil && claimed != nil:
				s.execute(claimed)
			}
		})
	}
	return nil
}

func (s *Service) queueLost(ctx context.Context, runID string) {
	defer s.endTaking(runID)
	if err := s.enqueue(ctx, runID); err != nil && ctx.Err() == nil {
		s.Logger.Warn("could not queue a run whose lease has ended; it will be tried again", "run", runID, "error", err)
	}
}

// beginTaking says whether a lost run is neither this process's nor about to be; endTaking
// has to follow then.
func (s *Service) beginTaking(runID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, held := s.held[runID]; held || s.taking[runID] {
		return false
	}
	s.taking[runID] = true
	return true
}

func (s *Service) endTaking(runID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.taking, runID)
}
