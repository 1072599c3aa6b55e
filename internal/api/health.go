package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// readyTimeout is how long the database and NATS may take to answer /readyz.
const readyTimeout = 3 * time.Second

// registerHealth are at the root, for whoever watches the process.
func (s *server) registerHealth() {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		s.echo.Add(method, "/healthz", s.healthz)
		s.echo.Add(method, "/readyz", s.readyz)
	}
	s.rights["GET /healthz"], s.rights["GET /readyz"], s.rights["GET /metrics"] = rightPublic, rightPublic, rightAdmin
	if s.Live.Current().Telemetry.Metrics {
		s.echo.GET("/metrics", s.metrics.handler())
	}
}

// healthz says that the process answers.
func (s *server) healthz(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "ok", "version": s.Version})
}

// Check is one thing that /readyz promises.
type Check struct {
	Name string
	Err  error // nil: it is so
}

// readyz says that requests can be served, or what is in the way, by the names of
// the checks.
func (s *server) readyz(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), readyTimeout)
	defer cancel()
	checks := map[string]string{}
	var wrong []FieldError
	var details []string
	for _, check := range s.Ready(ctx) {
		checks[check.Name] = "ok"
		if check.Err != nil {
			wrong = append(wrong, FieldError{Location: check.Name, Message: check.Err.Error()})
			details = append(details, check.Name+": "+check.Err.Error())
		}
	}
	if len(wrong) > 0 {
		problem := newProblem(http.StatusServiceUnavailable, codeNotReady, strings.Join(details, "; "))
		problem.Errors = wrong
		return problem
	}
	return c.JSON(http.StatusOK, map[string]any{"status": "ready", "checks": checks})
}
