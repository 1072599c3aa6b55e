package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"nanoclaw/internal/store"
)

// loadTimeout bounds the queries of one scrape.
const loadTimeout = 2 * time.Second

// loadCollector shows the work that waits in the database, read at each scrape.
// While the database does not answer it shows nothing.
type loadCollector struct {
	read                              func(context.Context) (store.Load, error)
	queued, oldest, approvals, unsent *prometheus.Desc
}

func newLoadCollector(read func(context.Context) (store.Load, error)) *loadCollector {
	gauge := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }
	return &loadCollector{
		read:      read,
		queued:    gauge("nanoclaw_runs_queued", "Root runs that wait for a worker."),
		oldest:    gauge("nanoclaw_runs_queued_oldest_seconds", "Age of the root run that waits longest for a worker."),
		approvals: gauge("nanoclaw_approvals_pending", "Approvals that wait for a decision."),
		unsent:    gauge("nanoclaw_outbox_rows", "Committed events that are not published yet."),
	}
}

func (l *loadCollector) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{l.queued, l.oldest, l.approvals, l.unsent} {
		out <- desc
	}
}

func (l *loadCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	defer cancel()
	load, err := l.read(ctx)
	if err != nil {
		return // readyz says why
	}
	age := 0.0
	if load.OldestQueued > 0 {
		age = max(0, time.Since(load.OldestQueued.Std()).Seconds())
	}
	for desc, value := range map[*prometheus.Desc]float64{
		l.queued: float64(load.QueuedRuns), l.oldest: age,
		l.approvals: float64(load.PendingApprovals), l.unsent: float64(load.OutboxRows),
	} {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value)
	}
}
