package api

import (
	"compress/gzip"
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// listings are answers that grow with what a user has, and that the web app waits for.
var listings = map[string]bool{
	basePath + "/conversations":              true,
	basePath + "/conversations/:id/messages": true,
	basePath + "/projects":                   true,
}

// compressListings sends them with gzip to who takes it. Files, event streams and what is answered to a write go as they
// are.
func compressListings() echo.MiddlewareFunc {
	return middleware.GzipWithConfig(middleware.GzipConfig{
		Level:     gzip.BestSpeed,
		MinLength: 2048,
		Skipper: func(c echo.Context) bool {
			r := c.Request()
			return r.Method != http.MethodGet || !listings[c.Path()] || !acceptsCoding(r.Header.Get("Accept-Encoding"), "gzip")
		},
	})
}
