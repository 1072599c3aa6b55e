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
		if a.header.Get("Cache-Control") != "no-cache" || !strings.HasPrefix(a.header.Get("Content-Type"),
			"text/html") {
			t.Errorf("%s: %v", path, a.header)
		}
	}
	asset := h.do("GET", "/assets/app-1234.js", nil, "Accept-Encoding", "identity").is(200, "plain")
	if asset.header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
		asset.header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("the asset: %v", asset.header)
	}
	small := h.do("GET", "/assets/app-1234.js", nil, "Accept-Encoding", "br;q=0, gzip").is(200)
	if small.body != "gzipped" || small.header.Get("Content-Encoding") != "gzip" ||
		small.header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("compressed: %q %v", small.body, small.header)
	}
	if plain := h.do("GET", "/assets/app-1234.js", nil, "Accept-Encoding",
		"gzip;q=0").is(200); plain.header.Get("Content-Encoding") != "" {
		t.Errorf("a client that wants no gzip got it")
	}
	if icon := h.do("GET", "/icon.svg", nil).is(200); icon.header.Get("Content-Type") != "image/svg+xml" ||
		icon.header.Get("Cache-Control") != "no-cache" {
		t.Errorf("the icon: %v", icon.header)
	}
	h.do("HEAD", "/", nil).is(200)
	h.do("GET", "/assets/none.js", nil, "Accept", "*/*").is(404)
	h.do("GET", "/../go.mod", nil, "Accept", "*/*").is(404)
	h.do("GET", "/api/none", nil, "Accept", "text/html").is(404)
	h.do("GET", "/api", nil, "Accept", "text/html").is(404)
	h.do("GET", "/assets", nil, "Accept", "*/*").is(404)
}

func TestAServerWithoutTheWebAppSaysSo(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(h *house, _ *config.Config) { h.page = fstest.MapFS{".gitkeep": {}} })
	h.do("GET", "/", nil).is(200, "was not built", "1.2.3", "/api/v1/openapi.json")
}
