package api

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/labstack/echo/v4"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm/llmtest"
)

func TestHealthTellsAliveFromReady(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.do("GET", "/healthz", nil).is(200, `"status":"ok"`, `"version":"1.2.3"`)
	h.do("GET", "/readyz", nil).is(200, `"status":"ready"`, `"checks":{"database":"ok"}`)
	h.ready = func(context.Context) []Check {
		return []Check{{Name: "database", Err: errors.New("it does not answer")}, {Name: "event_log"}}
	}
	h.do("GET", "/readyz", nil).is(503, `"code":"not_ready"`, `"detail":"database: it does not answer"`,
		`"errors":[{"location":"database"`)
	h.do("GET", "/healthz", nil).is(200)
}

func TestMetricsCountRequestsAndRuns(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	h.model.On(llmtest.Any()).Reply(llmtest.Text("ok").At(gate))
	c := h.newConversation(m{})
	run := into[Run](h.do("POST", "/api/v1/conversations/"+c.ID+"/runs", m{"text": "x"}).is(202))
	if err := h.model.WaitCalls(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	h.do("GET", "/api/v1/runs/"+noID, nil).is(404)
	h.do("BREW", "/nothing/here", nil).is(404)
	h.do("GET", "/metrics", nil).is(200, "nanoclaw_runs_active 1", "go_goroutines", "process_resident_memory_bytes",
		`nanoclaw_http_requests_total{method="GET",route="/api/v1/runs/:id",status="404"} 1`,
		`nanoclaw_http_requests_total{method="other",route="other",status="404"} 1`,
		`nanoclaw_http_request_duration_seconds_count{method="POST",route="/api/v1/conversations"} 1`)
	gate.Release()
	h.do("GET", "/api/v1/runs/"+run.ID+"/events", nil).is(200)
}

func TestMetricsCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	newHouse(t, func(_ *house, c *config.Config) { c.Telemetry.Metrics = false }).do("GET", "/metrics", nil).is(404)
}

// What fails inside is told to the log and not to the client.
func TestAnInternalErrorStaysInside(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.server.echo.GET("/api/v1/test/panic", func(echo.Context) error { panic("the secret reason") })
	h.server.echo.GET("/api/v1/test/error", func(echo.Context) error { return errors.New("the other reason") })
	h.server.echo.GET("/api/v1/test/half", func(c echo.Context) error {
		c.Response().WriteHeader(http.StatusOK)
		c.Response().Flush()
		panic("in the middle")
	})
	for path, reason := range map[string]string{"/api/v1/test/panic": "the secret reason",
		"/api/v1/test/error": "the other reason"} {
		a := h.do("GET", path, nil).is(500, `"code":"internal"`, "internal error")
		if contains(a.body, "reason") {
			t.Errorf("the client was told: %s", a.body)
		}
		if log := h.logText(); !contains(log, reason) || !contains(log, a.header.Get("X-Request-Id")) {
			t.Errorf("the log lacks %q or the request's id", reason)
		}
	}
	response, err := http.Get(h.web.URL + "/api/v1/test/half")
	if err == nil {
		_, err = response.Body.Read(make([]byte, 1))
		response.Body.Close()
	}
	if err == nil || err.Error() == "EOF" {
		t.Errorf("a cut-off answer looked whole: %v", err)
	}
	if !contains(h.logText(), "in the middle") {
		t.Error("the panic in mid-answer is not in the log")
	}
	h.do("GET", "/api/v1/models", nil).is(200)
	if !contains(h.logText(), "path=/api/v1/models status=200") {
		t.Error("the access log lacks the request")
	}
}
