// Package metrics counts what the server does, for /metrics, beside what the API counts of
// its requests. Whoever does the work calls it; it knows nobody.
package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"nanoclaw/internal/store"
)

// Metrics are the counters of one server.
type Metrics struct {
	calls     *prometheus.CounterVec
	cacheHits *prometheus.CounterVec
	anomalies *prometheus.CounterVec
	messages  *prometheus.CounterVec
	models    *modelMetrics
	sandboxes *prometheus.CounterVec
}

// New makes counters that stand at zero.
func New() *Metrics {
	return &Metrics{
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

// SandboxStart counts a shell or an interpreter that was started, or failed to.
func (m *Metrics) SandboxStart(policy string, err error) {
	result := "started"
	if err != nil {
		result = "failed"
	}
	m.sandboxes.WithLabelValues(policy, result).Inc()
}

// Anomaly counts a command or code that went wrong.
func (m *Metrics) Anomaly(tool, kind string) { m.anomalies.WithLabelValues(tool, kind).Inc() }

// Notification counts a message to the webhook.
func (m *Metrics) Notification(event, result string) { m.messages.WithLabelValues(event, result).Inc() }

// Sources are what is read at each scrape.
type Sources struct {
	Load       func(context.Context) (store.Load, error)
	Unsendable func() int64  // events that could not be sent
	Reopened   func() int64  // how often the event log was opened again
	Messages   func() uint64 // to and from NATS since the event log was opened
	Stats      func() store.Stats
}

// Collectors are what /metrics shows.
func (m *Metrics) Collectors(from Sources) []prometheus.Collector {
	own := []prometheus.Collector{
		m.calls, m.cacheHits, m.anomalies, m.messages, m.sandboxes, newLoadCollector(from.Load),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "nanoclaw_events_unsendable_total",
			Help: "Events that could not be sent and were replaced by a snapshot.",
		}, func() float64 { return float64(from.Unsendable()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "nanoclaw_event_log_reopened_total", Help: "How often a broken event log was opened again.",
		}, func() float64 { return float64(from.Reopened()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "nanoclaw_event_log_messages_total",
			Help: "Messages to and from NATS, acknowledgements included, since the event log was opened.",
		}, func() float64 { return float64(from.Messages()) }),
		newStoreCollector(from.Stats),
	}
	return append(own, m.models.collectors()...)
}

// ToolCall counts a call. A tool that does not exist, which a model made up, and outcomes
// of foreign tools share one label each, so that nobody outside can make labels.
func (m *Metrics) ToolCall(tool string, exists, cached bool, outcome string) {
	if !exists {
		tool = "unknown"
	}
	if !knownOutcomes[outcome] {
		outcome = "other"
	}
	m.calls.WithLabelValues(tool, outcome).Inc()
	if cached {
		m.cacheHits.WithLabelValues(tool).Inc()
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
