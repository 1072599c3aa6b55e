package builtin

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// fakeWeb is the configuration of the network tools in a test.
type fakeWeb struct {
	fetch   tools.FetchSettings
	search  []tools.SearchProvider
	weather tools.WeatherSettings
}

func (w *fakeWeb) Fetch() tools.FetchSettings     { return w.fetch }
func (w *fakeWeb) Search() []tools.SearchProvider { return w.search }
func (w *fakeWeb) Weather() tools.WeatherSettings { return w.weather }

// webCall is a call with this configuration; a nil one allows nothing.
func webCall(web *fakeWeb) tools.Call {
	if web == nil {
		web = &fakeWeb{}
	}
	call := tools.Call{Services: &services.Locator{}}
	services.Register[tools.Web](call.Services, tools.WebKey, web)
	return call
}

// serve starts a site on loopback.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// allowed is a configuration that may reach these sites.
func allowed(sites ...*httptest.Server) *fakeWeb {
	web := &fakeWeb{fetch: tools.FetchSettings{MaxBytes: 1 << 20, Timeout: 20 * time.Second,
		UserAgent: "NanoClaw-Test"}}
	for _, site := range sites {
		web.fetch.AllowedHosts = append(web.fetch.AllowedHosts, strings.TrimPrefix(site.URL, "http://"))
	}
	return web
}

// execute runs a tool as the registry does and returns its result as a client
// reads it from the JSON.
func execute(t *testing.T, call tools.Call, name string, args map[string]any) (data map[string]any, failure string) {
	t.Helper()
	encoded, err := json.Marshal(tools.Default().Execute(t.Context(), name, call, args))
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		Success bool
		Error   string
		Code    string
		Data    map[string]any
	}
	if err := json.Unmarshal(encoded, &result); err != nil {
		t.Fatalf("%s: %v", encoded, err)
	}
	if !result.Success {
		return result.Data, result.Code + ": " + result.Error
	}
	return result.Data, ""
}
