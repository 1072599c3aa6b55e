package api

import (
	"strings"
	"testing"
	"testing/fstest"

	"nanoclaw/internal/config"
)

func TestTheWebAppIsServedWithItsCaching(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, path := range []string{"/", "/index.html", "/c/01900000", "/settings/models"} {
		a := h.do("GET", path, nil, "Accept", "text/html,*/*").is(200, "id=app")
		if a.header.Get("Cache-Control") != "no-cache" || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %v", path, a.header)
		}
	}
	asset := h.do("GET", "/assets/app-1234.js", nil, "Accept-Encoding", "identity").is(200, "plain")
	if asset.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || asset.header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("the asset: %v", asset.header)
	}
	small := h.do("GET", "/assets/app-1234.js", nil, "Accept-Encoding", "br;q=0, gzip").is(200)
	if small.body != "gzipped" || small.header.Get("Content-Encoding") != "gzip" || small.header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("compressed: %q %v", small.body, small.header)
	}
	if plain := h.do("GET", "/assets/app-1234.js", nil, "Accept-Encoding", "gzip;q=0").is(200); plain.header.Get("Content-Encoding") != "" {
		t.Errorf("a client that wants no gzip got it")
	}
	if icon := h.do("GET", "/icon.svg", nil).is(200); icon.header.Get("Content-Type") != "image/svg+xml" || icon.header.Get("Cache-Control") != "no-cache" {
		t.Errorf("the icon: %v", icon.header)
	}
	h.do("HEAD", "/", nil).is(200)
	h.do("GET", "/assets/none.js", nil, "Accept", "*/*").is(404)
	h.do("GET", "/../go.mod", nil, "Accept", "*/*").is(404)
	h.do("GET", "/api/none", nil, "Accept", "text/html").is(404)
	h.do("GET", "/api", nil, "Accept", "text/html").is(404)
	h.do("GET", "/assets", nil, "Accept", "*/*").is(404)
}

// The start of the page stands in it; no other inline script runs.
func TestThePolicyNamesTheScriptsOfThePage(t *testing.T) {
	t.Parallel()
	const index = `<script data-en="/a.js">start()</script><script type="module" src="/assets/app.js"></script>`
	h := newHouse(t, func(h *house, _ *config.Config) { h.page = fstest.MapFS{"index.html": {Data: []byte(index)}} })
	const want = "script-src 'self' 'sha256-DIm7WJS6ZKDYe5qFLPy+h4JFI9Bol5QmYC57mt3Fb00=';"
	for _, path := range []string{"/", "/c/01900000"} {
		if policy := h.do("GET", path, nil, "Accept", "text/html").is(200).header.Get("Content-Security-Policy"); !strings.Contains(policy, want) {
			t.Errorf("%s: %s", path, policy)
		}
	}
}

func TestAServerWithoutTheWebAppSaysSo(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(h *house, _ *config.Config) { h.page = fstest.MapFS{".gitkeep": {}} })
	h.do("GET", "/", nil).is(200, "was not built", "1.2.3", "/api/v1/openapi.json")
}
