package runs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"nanoclaw/internal/agent"
)

// notify lets the process that works on a root run know that there is something for it in
// the database.
func (s *Service) notify(rootRunID string) {
	if s.Store.Shared() {
		s.Log.Notify(rootRunID)
	}
}

// noticed takes a notice of another process. One that finds no room is made up for soon.
func (s *Service) noticed(rootRunID string) {
	if s.tree(rootRunID) == nil {
		return
	}
	select {
	case s.wishes <- rootRunID:
	default:
	}
}

// listen follows wishes until ctx ends: at once where a notice of them comes, and of all runs
// at work here now and then, in case one was lost.
func (s *Service) listen(ctx context.Context) {
	tick := time.NewTicker(cmp.Or(s.WishesEvery, time.Second))
	defer tick.Stop()
	for {
		var roots []string
		select {
		case root := <-s.wishes:
			roots = []string{root}
		case <-tick.C:
			roots = s.roots()
		case <-ctx.Done():
			return
		}
		if err := s.followWishes(ctx, roots); err != nil && !passing(err) && ctx.Err() == nil {
			s.Logger.Warn("could not read what other processes were told", "error", err)
		}
	}
}

// roots are the root runs at work here.
func (s *Service) roots() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.active))
}

// followWishes acts on what people told other processes about runs at work here:
// that they are to stop, and decisions on their calls. What this process was told it
// knows already, and hears again without harm.
func (s *Service) followWishes(ctx context.Context, roots []string) error {
	wishes, err := s.Store.Wishes(ctx, roots)
	if err != nil {
		return err
	}
	for _, run := range wishes.Cancelled {
		t := s.tree(run.RootRunID)
		switch {
		case t == nil:
		case run.ID == run.RootRunID:
			t.cancel(agent.ErrCancelled)
		default:
			if child := t.child(run.ID); child != nil {
				child.stop()
			}
		}
	}
	for _, approval := range wishes.Decided {
		t := s.tree(approval.RootRunID)
		if t == nil || t.seenDecisions()[approval.ID] == approval.DecidedAt {
			continue
		}
		s.answers.bring(approval)
		t.wake(approval.RunID)
	}
	return nil
}
