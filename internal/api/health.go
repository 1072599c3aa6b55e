package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// readyPatience is how long the database and NATS may take to answer /readyz.
const readyPatience = 3 * time.Second

// routesOfHealth are at the root, for whoever watches the process.
func (s *server) routesOfHealth() {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		s.echo.Add(method, "/healthz", s.healthz)
		s.echo.Add(method, "/readyz", s.readyz)
	}
	if s.Live.Current().Telemetry.Metrics {
		s.echo.GET("/metrics", s.metrics.handler())
	}
}

// healthz says that the process answers.
func (s *server) healthz(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "ok", "version": s.Version})
}

// readyz says that requests can be served, or what is in the way.
func (s *server) readyz(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), readyPatience)
	defer cancel()
	if err := s.Ready(ctx); err != nil {
		return newProblem(http.StatusServiceUnavailable, codeNotReady, err.Error())
	}
	return c.JSON(http.StatusOK, map[string]string{"status": "ready"})
}
