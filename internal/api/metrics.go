package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"nanoclaw/internal/runs"
)

// metrics are counted in a registry of their own, so that two servers in one
// process do not meet.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	streams  prometheus.Gauge
}

func newMetrics(service *runs.Service, more ...prometheus.Collector) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nanoclaw_http_requests_total", Help: "Requests that were answered.",
		}, []string{"method", "route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "nanoclaw_http_request_duration_seconds", Help: "Time of an answer; event streams are left out.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"method", "route"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "nanoclaw_sse_streams", Help: "Event streams that are open.",
		}),
	}
	active := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "nanoclaw_runs_active", Help: "Root runs at work in this process.",
	}, func() float64 { return float64(service.ActiveRuns()) })
	m.registry.MustRegister(more...)
	m.registry.MustRegister(m.requests, m.duration, m.streams, active,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// measure counts requests. It also answers errors, so that all that is outside of
// it sees the status that the client saw.
func (m *metrics) measure(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		begun := time.Now()
		if err := next(c); err != nil {
			c.Error(err)
		}
		route, method := c.Path(), methodLabel(c.Request().Method)
		if route == "" {
			route = "other"
		}
		m.requests.WithLabelValues(method, route, strconv.Itoa(c.Response().Status)).Inc()
		if c.Response().Header().Get("Content-Type") != eventStream {
			m.duration.WithLabelValues(method, route).Observe(time.Since(begun).Seconds())
		}
		return nil
	}
}

// methodLabel keeps clients from making labels up.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}

func (m *metrics) handler() echo.HandlerFunc {
	return echo.WrapHandler(promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
}
