package api

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"
)

//go:embed reference.html
var referencePage string

// registerReference adds the page that shows the document to people. It is one file,
// whose script and style alone its policy allows.
func (s *server) registerReference() {
	policy := "default-src 'none'; connect-src 'self'; script-src " + inlineSource(referencePage,
		"script") + "; style-src " +
		inlineSource(referencePage, "style") + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	s.plain(op(http.MethodGet, "/docs", "get-reference", "Meta", "This document as a page",
		answers("200", "OK", "text/html", &huma.Schema{Type: "string"})), func(c echo.Context) error {
		c.Response().Header().Set("Content-Security-Policy", policy)
		c.Response().Header().Set("Cache-Control", "no-cache")
		return c.HTML(http.StatusOK, referencePage)
	})
}

// inlineSource names an element's content in a content security policy.
func inlineSource(page, element string) string {
	_, rest, _ := strings.Cut(page, "<"+element+">")
	content, _, _ := strings.Cut(rest, "</"+element+">")
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
