package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"nanoclaw/internal/sandbox"
)

// meteredPolicy counts what a policy starts: shells and interpreters.
type meteredPolicy struct {
	sandbox.Policy
	starts *prometheus.CounterVec
}

func (p meteredPolicy) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Process, error) {
	process, err := p.Policy.Start(ctx, spec)
	result := "started"
	if err != nil {
		result = "failed"
	}
	p.starts.WithLabelValues(p.Name(), result).Inc()
	return process, err
}
