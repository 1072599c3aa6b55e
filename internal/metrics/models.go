package metrics

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/catalog"
)

// modelMetrics count the calls of models, by provider.
type modelMetrics struct {
	calls      *prometheus.CounterVec
	firstToken *prometheus.HistogramVec
	duration   *prometheus.HistogramVec
	tokens     *prometheus.CounterVec
}

func newModelMetrics() *modelMetrics {
	buckets := []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 180, 600}
	return &modelMetrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nanoclaw_model_calls_total", Help: "Model calls that ended; code is success or that of the error.",
		}, []string{"provider", "model", "code"}),
		firstToken: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "nanoclaw_model_first_token_seconds", Help: "Time to the first piece of an answer.", Buckets: buckets,
		}, []string{"provider"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "nanoclaw_model_call_duration_seconds", Help: "Time of a model call, retries included.",
			Buckets: buckets,
		}, []string{"provider"}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nanoclaw_model_tokens_total", Help: "Tokens of model calls.",
		}, []string{"provider", "model", "kind"}),
	}
}

func (m *modelMetrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.calls, m.firstToken, m.duration, m.tokens}
}

// Catalog hands out models whose calls are counted.
func (m *Metrics) Catalog(c *catalog.Catalog) *Catalog { return &Catalog{c, m.models} }

// Catalog is a catalog of models whose calls are counted.
type Catalog struct {
	*catalog.Catalog
	metrics *modelMetrics
}

// Get implements runs.Models.
func (c *Catalog) Get(id string) (llm.Model, error) {
	model, err := c.Catalog.Get(id)
	if err != nil {
		return nil, err
	}
	return meteredModel{model, c.metrics}, nil
}

type meteredModel struct {
	llm.Model
	metrics *modelMetrics
}

func (m meteredModel) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		info, begun, first := m.Info(), time.Now(), false
		code := "abandoned" // the consumer left
		defer func() {
			m.metrics.duration.WithLabelValues(info.Provider).Observe(time.Since(begun).Seconds())
			m.metrics.calls.WithLabelValues(info.Provider, info.ID, code).Inc()
		}()
		for event, err := range m.Model.Stream(ctx, req) {
			switch {
			case err != nil:
				code = errorCode(err)
			case event.Kind == llm.EventDone:
				code = "success"
				usage := event.Response.Usage
				m.metrics.tokens.WithLabelValues(info.Provider, info.ID, "prompt").Add(float64(usage.PromptTokens))
				m.metrics.tokens.WithLabelValues(info.Provider, info.ID,
					"completion").Add(float64(usage.CompletionTokens))
			case !first && event.Kind != llm.EventRetry:
				first = true
				m.metrics.firstToken.WithLabelValues(info.Provider).Observe(time.Since(begun).Seconds())
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

func errorCode(err error) string {
	var failure *llm.Error
	switch {
	case errors.As(err, &failure):
		return failure.Code
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return "internal"
}
