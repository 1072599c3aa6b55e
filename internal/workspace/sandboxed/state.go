package sandboxed

import (
	"context"

	"nanoclaw/internal/workspace/remote"
)

// The states of a sandbox.
const (
	Stopped   = "stopped"
	Running   = "running"          // this process has it
	Elsewhere = "leased_elsewhere" // another one has it
)

// State says who has a sandbox.
func (s *Sandboxes) State(ctx context.Context, ns remote.Namespace) (string, error) {
	s.mu.Lock()
	here := s.open[ns] != nil
	s.mu.Unlock()
	if here {
		return Running, nil
	}
	elsewhere, err := s.Leases.Held(ctx, leaseName(idOf(ns)))
	if err != nil || !elsewhere {
		return Stopped, err
	}
	return Elsewhere, nil
}
