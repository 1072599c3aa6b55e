package api

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// pagePolicy is the web app's content security policy. Styles may stand inline,
// which formulas and diagrams need; scripts may not.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; worker-src " +
	"'self' blob:; " +
	"img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' blob:; connect-src 'self'; " +
	"manifest-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// dataPolicy is for everything that is no page: should a browser show it as one,
// nothing in it runs.
const dataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

// secure sets the headers that hold for every answer.
func (s *server) secure(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if strings.HasPrefix(c.Request().URL.Path, "/api/") {
			h.Set("Content-Security-Policy", dataPolicy)
			h.Set("Cache-Control", "no-store")
		} else {
			h.Set("Content-Security-Policy", pagePolicy)
		}
		c.Response().Before(func() {
			if c.Response().Status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" {
				h.Set("Retry-After", "2")
			}
		})
		return next(c)
	}
}
