package shell

import (
	"context"
	"time"
)

// backgroundEvery is how often a session is looked at in which something runs
// between two commands.
const backgroundEvery = time.Second

// watchBackground looks after what a command left in the background: where that
// puts the project over its quota the shell is ended, with all that runs in it.
// Whoever runs a command watches that himself.
func (s *Session) watchBackground() {
	if s.settings.OverQuota == nil || s.watched || s.process == nil || s.process.Load().Processes <= s.rest {
		return
	}
	s.watched = true
	s.ending.Add(1)
	go func() {
		defer s.ending.Done()
		tick := time.NewTicker(backgroundEvery)
		defer tick.Stop()
		for {
			select {
			case <-s.quit:
				return
			case <-tick.C:
			}
			select {
			case s.turn <- struct{}{}:
				done := s.lookAtBackground()
				s.watched = !done
				s.release()
				if done {
					return
				}
			default: // a command runs
			}
		}
	}()
}

// lookAtBackground says whether there is nothing more to watch.
func (s *Session) lookAtBackground() (done bool) {
	if s.process == nil || s.process.Load().Processes <= s.rest {
		return true
	}
	if err := s.settings.OverQuota(context.Background()); err != nil {
		s.stopped += "nanoclaw: what ran in the background was stopped, and the shell with it: " + err.Error() + "\n"
		s.stopShell(0)
		return true
	}
	return false
}
