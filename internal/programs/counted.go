package programs

import (
	"context"

	"nanoclaw/internal/sandbox"
)

// countedPolicy tells what a policy starts: shells and interpreters.
type countedPolicy struct {
	sandbox.Policy
	started func(policy string, err error)
}

// Start implements sandbox.Policy.
func (p countedPolicy) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Process, error) {
	process, err := p.Policy.Start(ctx, spec)
	p.started(p.Name(), err)
	return process, err
}
