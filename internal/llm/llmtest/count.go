package llmtest

import (
	"context"
	"fmt"
)

// Requests are the recorded requests that all matches apply to, in order of arrival.
func (s *Server) Requests(matches ...Match) []Request {
	var requests []Request
	for _, e := range s.entries(matches) {
		requests = append(requests, e.request)
	}
	return requests
}

// Unmatched are the requests that no rule answered.
func (s *Server) Unmatched() []Request {
	var requests []Request
	for _, e := range s.journal.find(func(e *entry) bool { return e.unmatched }) {
		requests = append(requests, e.request)
	}
	return requests
}

// Calls counts the requests that all matches apply to.
func (s *Server) Calls(matches ...Match) int { return len(s.entries(matches)) }

// Abandoned counts the requests whose client left before the answer's end.
func (s *Server) Abandoned(matches ...Match) int {
	n := 0
	for _, e := range s.entries(matches) {
		if e.clientGone {
			n++
		}
	}
	return n
}

// InFlight is how many such requests are at work now.
func (s *Server) InFlight(matches ...Match) int {
	n := 0
	for _, e := range s.entries(matches) {
		if e.ended == 0 {
			n++
		}
	}
	return n
}

// MaxInFlight is the highest number of such requests at work at one time.
func (s *Server) MaxInFlight(matches ...Match) int { return highest(s.entries(matches)) }

// WaitCalls waits until that many such requests have arrived.
func (s *Server) WaitCalls(ctx context.Context, n int, matches ...Match) error {
	return s.wait(ctx, func() bool { return s.Calls(matches...) >= n })
}

// WaitIdle waits until no such request is at work.
func (s *Server) WaitIdle(ctx context.Context, matches ...Match) error {
	return s.wait(ctx, func() bool { return s.InFlight(matches...) == 0 })
}

func (s *Server) wait(ctx context.Context, reached func() bool) error {
	for {
		changed := s.journal.next()
		if reached() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("llmtest: waiting for requests: %w", ctx.Err())
		}
	}
}

func (s *Server) entries(matches []Match) []*entry {
	match := All(matches...)
	return s.journal.find(func(e *entry) bool { return match(e.request) })
}
