package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"nanoclaw/internal/config"
)

// validated is what is wrong with a body for creating a project.
func validated(h *house, text string) []error {
	registry := h.server.api.OpenAPI().Components.Schemas
	var value any
	if err := jsonFormat.Unmarshal([]byte(text), &value); err != nil {
		return []error{err}
	}
	result := &huma.ValidateResult{}
	huma.Validate(registry, registry.Map()["CreateProjectInputBody"], huma.NewPathBuffer(nil, 0),
		huma.ModeWriteToServer, value, result)
	return result.Errors
}

// Issue 10: HEAD is answered wherever GET is, without a body.
func TestHeadIsAnsweredWhereGetIs(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	routes := map[string]bool{}
	for _, r := range h.server.echo.Routes() {
		routes[r.Method+" "+r.Path] = true
	}
	for route := range routes {
		if path, isGet := strings.CutPrefix(route, "GET /api/"); isGet && !routes["HEAD /api/"+path] {
			t.Errorf("no HEAD for /api/%s", path)
		}
	}
	got, head := h.do("GET", "/api/v1/projects", nil).is(200), h.do("HEAD", "/api/v1/projects", nil).is(200)
	if head.body != "" || head.header.Get("Content-Type") != got.header.Get("Content-Type") {
		t.Errorf("HEAD: %q, %v", head.body, head.header)
	}
	if a := h.do("HEAD", "/api/v1/projects/"+noID, nil); a.status != 404 {
		t.Errorf("HEAD of nothing: %d", a.status)
	}
}

// Issue 10: pages of the configured origins may use the API, those of others may not.
func TestOnlyConfiguredOriginsMayUseTheAPI(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(_ *house, c *config.Config) { c.CORS.AllowedOrigins = []string{"https://app.example.com"} })
	const origin = "https://app.example.com"
	a := h.do("GET", "/api/v1/projects", nil, "Origin", origin, "Sec-Fetch-Site", "cross-site").is(200)
	if a.header.Get("Access-Control-Allow-Origin") != origin ||
		!strings.Contains(a.header.Get("Access-Control-Expose-Headers"), "ETag") ||
		!strings.Contains(strings.Join(a.header.Values("Vary"), ","), "Origin") {
		t.Errorf("%v", a.header)
	}
	h.do("POST", "/api/v1/projects", m{"name": "p"}, "Origin", origin).is(201)
	asked := h.do("OPTIONS", "/api/v1/projects", nil, "Origin", origin, "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", "content-type").is(204)
	if asked.header.Get("Access-Control-Allow-Headers") != "content-type" ||
		!strings.Contains(asked.header.Get("Access-Control-Allow-Methods"), "POST") {
		t.Errorf("%v", asked.header)
	}
	for _, other := range []string{"https://app.example.com.evil.example", "http://app.example.com", "null",
		"https://evil.example"} {
		a := h.do("GET", "/api/v1/projects", nil, "Origin", other).is(403)
		if a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", other, a.header)
		}
		h.do("OPTIONS", "/api/v1/projects", nil, "Origin", other, "Access-Control-Request-Method", "POST")
	}
	plain := newHouse(t)
	plain.do("GET", "/api/v1/projects", nil, "Origin", origin).is(403)
}

// Issue 10: one client cannot have more event streams than configured; others can, and
// a stream that ends makes room.
func TestOpenStreamsOfAClientAreLimited(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(_ *house, c *config.Config) { c.HTTP.MaxStreams = 2 })
	conversation := h.newConversation(m{})
	open := func() *http.Response {
		response, err := http.Get(h.web.URL + "/api/v1/events")
		if err != nil {
			t.Fatal(err)
		}
		return response
	}
	first, second := open(), open()
	defer second.Body.Close()
	h.do("GET", "/api/v1/events", nil).is(429, `"code":"too_many_streams"`, "http.max_streams_per_client")
	h.do("POST", "/api/v1/conversations/"+conversation.ID+"/runs", m{"text": "x"}, "Accept",
		"text/event-stream").is(429)
	if list := into[Messages](h.do("GET", "/api/v1/conversations/"+conversation.ID+"/messages",
		nil)); len(list.Items) != 0 {
		t.Error("a run was started without its stream")
	}
	h.do("GET", "/api/v1/projects", nil).is(200)
	if _, err := h.server.streams.open("192.0.2.1", 2); err != nil {
		t.Errorf("another client: %v", err)
	}
	done := make(chan struct{})
	go func() { // the server notices that the first has left
		defer close(done)
		for {
			if third := open(); third.StatusCode == 200 {
				third.Body.Close()
				return
			} else {
				third.Body.Close()
			}
		}
	}()
	first.Body.Close()
	<-done
}

// Issue 10: the reference page is one file whose policy allows its own script alone.
func TestTheReferencePageNeedsNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.do("GET", "/api/v1/docs", nil).is(200, "<script>", "openapi.json")
	policy := a.header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "script-src 'sha256-") || strings.Contains(policy, "unsafe") ||
		strings.Contains(policy, "http") ||
		!strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		t.Errorf("policy %q, type %q", policy, a.header.Get("Content-Type"))
	}
	if strings.Contains(a.body, "src=") || strings.Contains(a.body, "//cdn") || strings.Count(a.body, "<script") != 1 ||
		strings.Count(a.body, "<style") != 1 {
		t.Error("the page loads something")
	}
}

// Issue 10: a client generator finds one content type for each operation's body and
// success, and says how to authenticate.
func TestTheDocumentSuitsGenerators(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	doc := into[struct {
		Security   []map[string][]string
		Components struct{ SecuritySchemes map[string]m }
		Paths      map[string]map[string]struct {
			Responses map[string]struct{ Content map[string]any }
		}
	}](h.do("GET", "/api/v1/openapi.json", nil).is(200))
	if len(doc.Security) == 0 || len(doc.Components.SecuritySchemes) == 0 {
		t.Error("no security schemes")
	}
	for path, methods := range doc.Paths {
		for method, o := range methods {
			types := map[string]bool{}
			for status, response := range o.Responses {
				for contentType := range response.Content {
					if status != "default" {
						types[contentType] = true
					}
				}
			}
			if len(types) > 1 && path != "/audit" && !strings.HasSuffix(path, "/export") { // format= says which
				t.Errorf("%s %s succeeds with %v", method, path, types)
			}
		}
	}
}
