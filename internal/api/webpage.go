package api

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// page is the built web app, or a page that says that it is not built.
type page struct {
	files fs.FS
	index []byte
}

func newPage(files fs.FS, version string) (*page, error) {
	index, err := fs.ReadFile(files, "index.html")
	if errors.Is(err, fs.ErrNotExist) {
		index, err = []byte(unbuiltPage(version)), nil
	}
	if err != nil {
		return nil, err
	}
	return &page{files: files, index: index}, nil
}

func unbuiltPage(version string) string {
	return `<!doctype html><html lang="en"><meta charset="utf-8"><title>NanoClaw</title>` +
		`<h1>NanoClaw ` + html.EscapeString(version) +
		`</h1><p>The server runs, but its web app was not built into it: run <code>make build</code>.</p>` +
		`<p>The API is at <a href="/api/v1/openapi.json">/api/v1</a>.</p></html>`
}

// fallback serves what no route takes. A wildcard route would do, but it would
// answer 404 where a route has another method.
func (p *page) fallback(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := next(c)
		if err == echo.ErrNotFound {
			return p.serve(c)
		}
		return err
	}
}

// serve answers what no route takes: the app's files, and for paths that the app
// shows by itself its page.
func (p *page) serve(c echo.Context) error {
	r := c.Request()
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if r.Method != http.MethodGet && r.Method != http.MethodHead || name == "api" || strings.HasPrefix(name, "api/") {
		return echo.ErrNotFound
	}
	if name != "" && name != "index.html" && fs.ValidPath(name) {
		found, err := p.serveFile(c, name)
		if found || err != nil {
			return err
		}
	}
	if name != "" && !strings.Contains(r.Header.Get("Accept"), "text/html") {
		return echo.ErrNotFound
	}
	c.Response().Header().Set("Cache-Control", "no-cache")
	return c.HTMLBlob(http.StatusOK, p.index)
}

// serveFile answers with a file of the app, compressed where the build made it so.
func (p *page) serveFile(c echo.Context, name string) (found bool, err error) {
	file, err := p.open(name)
	if file == nil || err != nil {
		return false, err
	}
	header := c.Response().Header()
	header.Set("Content-Type", assetType(name))
	header.Set("Vary", "Accept-Encoding")
	if strings.HasPrefix(name, "assets/") {
		header.Set("Cache-Control", "public, max-age=31536000, immutable") // the name has the content's hash
	} else {
		header.Set("Cache-Control", "no-cache")
	}
	for _, coding := range []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}} {
		if !acceptsCoding(c.Request().Header.Get("Accept-Encoding"), coding.name) {
			continue
		}
		smaller, err := p.open(name + coding.suffix)
		if err != nil {
			return true, err
		}
		if smaller != nil {
			header.Set("Content-Encoding", coding.name)
			file = smaller
			break
		}
	}
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, file)
	return true, nil
}

// open reads a regular file; nil where there is none.
func (p *page) open(name string) (io.ReadSeeker, error) {
	info, err := fs.Stat(p.files, name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %q of the web app: %w", name, err)
	}
	data, err := fs.ReadFile(p.files, name)
	if err != nil {
		return nil, fmt.Errorf("read %q of the web app: %w", name, err)
	}
	return bytes.NewReader(data), nil
}

func acceptsCoding(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			return !strings.HasPrefix(strings.ReplaceAll(weight, " ", ""), "q=0") || strings.Contains(weight, "0.")
		}
	}
	return false
}

// assetType is the content type of the app's own files.
func assetType(name string) string {
	switch path.Ext(name) {
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".json", ".map":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".ico":
		return "image/x-icon"
	case ".woff2":
		return "font/woff2"
	case ".woff":
		return "font/woff"
	case ".ttf":
		return "font/ttf"
	case ".wasm":
		return "application/wasm"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}
