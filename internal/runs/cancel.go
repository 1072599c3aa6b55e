package runs

import (
	"context"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// Cancel stops a run: a root run with its whole tree, or one sub-agent. The wish
// is stored before anybody acts on it, and obeyed on a resume too. A run that has
// ended is returned as it is.
func (s *Service) Cancel(ctx context.Context, userID, runID string) (*RunView, error) {
	var done store.Cancellation
	err := s.commit(ctx, func(tx *store.Tx) (err error) {
		done, err = tx.RequestCancel(userID, runID)
		switch {
		case err != nil || !done.Changed:
		case done.Queued:
			tx.Send(workRow(done.Root))
		case done.Run.Status == models.RunCancelled:
			view := ViewRun(done.Run)
			tx.Send(eventRow(EventRunFinished, done.Run, finishedPayload{Run: view, Error: view.Error}))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	run := done.Run
	t := s.tree(run.RootRunID)
	if t == nil && done.Changed {
		s.notify(run.RootRunID) // another process may work on it
	}
	switch {
	case done.Queued && run.ID == run.RootRunID:
		s.claimToCancel(run.ID)
	case done.Queued: // a worker takes the tree and ends the sub-agent
	case t != nil:
		if run.ID == run.RootRunID {
			t.cancel(agent.ErrCancelled)
		} else if child := t.child(run.ID); child != nil {
			child.stop()
		}
	case run.ID == run.RootRunID && !models.RunEnded(run.Status):
		// Nobody works on it: it is taken here and ended, beside the workers, which may
		// all be busy; where that fails, by one of them.
		if err := s.enqueue(ctx, run.ID); err != nil {
			return nil, err
		}
		s.claimToCancel(run.ID)
	}
	return s.Run(ctx, userID, runID)
}

// Continue queues a root run again that was interrupted or failed: it goes on
// behind its last checkpoint.
func (s *Service) Continue(ctx context.Context, userID, runID string) (*RunView, error) {
	var run *models.Run
	err := s.commit(ctx, func(tx *store.Tx) (err error) {
		if run, err = tx.Reopen(userID, runID); err == nil {
			tx.Send(startRows(run, nil)...)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return ViewRun(run), nil
}

// Run reads a run with the tree below it.
func (s *Service) Run(ctx context.Context, userID, runID string) (*RunView, error) {
	run, err := s.Store.Run(ctx, userID, runID)
	if err != nil {
		return nil, err
	}
	var children []*models.Run
	if run.ParentRunID == "" {
		if children, err = s.Store.SubAgents(ctx, run.ID); err != nil {
			return nil, err
		}
		return viewTree(run, children), nil
	}
	_, calls, err := s.Store.Steps(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	view := ViewRun(run)
	for _, call := range calls {
		if call.State == models.CallFinished {
			view.ToolCalls = append(view.ToolCalls, s.recordOf(call))
		}
	}
	return view, nil
}
