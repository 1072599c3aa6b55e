package app

import (
	"github.com/prometheus/client_golang/prometheus"

	"nanoclaw/internal/executor"
)

// counters are what the server counts of its work, beside what the API counts.
type counters struct {
	calls     *prometheus.CounterVec
	cacheHits *prometheus.CounterVec
	anomalies *prometheus.CounterVec
	messages  *prometheus.CounterVec
	models    *modelMetrics
	sandboxes *prometheus.CounterVec
}

func newCounters() *counters {
	return &counters{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nanoclaw_tool_calls_total", Help: "Tool calls that have their answer.",
		}, []string{"tool", "outcome"}),
		cacheHits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nanoclaw_tool_cache_hits_total", Help: "Tool calls that were answered from the cache.",
		}, []string{"tool"}),
		anomalies: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nanoclaw_command_anomalies_total",
			Help: "Commands and code that failed to start, ran out of time or reached a resource limit.",
		}, []string{"tool", "kind"}),
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nanoclaw_notifications_total", Help: "Messages to the webhook.",
		}, []string{"event", "result"}),
		models: newModelMetrics(),
		sandboxes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nanoclaw_sandbox_starts_total", Help: "Shells and interpreters that were started, by policy.",
		}, []string{"policy", "result"}),
	}
}

// countStart counts a shell or an interpreter that was to be started.
func (c *counters) countStart(policy string, err error) {
	result := "started"
	if err != nil {
		result = "failed"
	}
	c.sandboxes.WithLabelValues(policy, result).Inc()
}

// Metrics are the collectors that /metrics shows beside the API's own.
func (a *App) Metrics() []prometheus.Collector {
	own := []prometheus.Collector{
		a.counters.calls, a.counters.cacheHits, a.counters.anomalies, a.counters.messages, a.counters.sandboxes,
		newLoadCollector(a.Store.Load),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "nanoclaw_events_unsendable_total",
			Help: "Events that could not be sent and were replaced by a snapshot.",
		}, func() float64 { return float64(a.Runs.Unsendable()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "nanoclaw_event_log_reopened_total", Help: "How often a broken event log was opened again.",
		}, func() float64 { return float64(a.log.Reopened()) }),
	}
	return append(own, a.counters.models.collectors()...)
}

// countCall counts a call. Names that a model made up and outcomes of foreign
// tools share one label each, so that nobody outside can make labels.
func (a *App) countCall(e executor.AuditEntry, outcome string) {
	tool := e.Tool
	if e.Effect == "" {
		tool = "unknown"
	}
	if !knownOutcomes[outcome] {
		outcome = "other"
	}
	a.counters.calls.WithLabelValues(tool, outcome).Inc()
	if e.Cached {
		a.counters.cacheHits.WithLabelValues(tool).Inc()
	}
}

// knownOutcomes are the codes that a call's metric is labelled with.
var knownOutcomes = map[string]bool{
	"success": true, "invalid_arguments": true, "timeout": true, "cancelled": true, "denied": true, "blocked": true,
	"outcome_unknown": true,
	"internal":        true, "unavailable": true, "unknown_tool": true, "access_denied": true, "not_found": true,
	"not_a_file": true, "too_large": true,
	"quota_exceeded": true, "already_exists": true, "python_error": true,
}
