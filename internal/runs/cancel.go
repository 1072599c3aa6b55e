package runs

import (
	"context"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/models"
)

// Cancel stops a run: a root run with its whole tree, or one sub-agent. The wish
// is stored before anybody acts on it, and obeyed on a resume too. A run that has
// ended is returned as it is.
func (s *Service) Cancel(ctx context.Context, userID, runID string) (*RunView, error) {
	atRest := false // the tree waited for a person
	run, rows, err := s.Store.RequestCancel(ctx, userID, runID, func(run, root *models.Run,
		queued bool) []*models.Outbox {
		if atRest = queued; queued {
			return []*models.Outbox{workRow(root)}
		}
		if run.Status != models.RunCancelled {
			return nil
		}
		view := ViewRun(run)
		return []*models.Outbox{eventRow(EventRunFinished, run, finishedPayload{Run: view, Error: view.Error})}
	})
	if err != nil {
		return nil, err
	}
	s.send(rows)
	t := s.tree(run.RootRunID)
	switch {
	case atRest && run.ID == run.RootRunID:
		s.takeBeside(run.ID)
	case atRest: // a worker takes the tree and ends the sub-agent
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
		s.takeBeside(run.ID)
	}
	return s.Run(ctx, userID, runID)
}

// Continue queues a root run again that was interrupted or failed: it goes on
// behind its last checkpoint.
func (s *Service) Continue(ctx context.Context, userID, runID string) (*RunView, error) {
	run, rows, err := s.Store.Reopen(ctx, userID, runID, func(run *models.Run) []*models.Outbox {
		return startRows(run,
			nil)
	})
	if err != nil {
		return nil, err
	}
	s.send(rows)
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
