package app

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"nanoclaw/internal/store/pgtest"
)

// GR9, GR1: while the database is away every request is answered 503 with Retry-After, /readyz
// names the database, and the process stays alive; afterwards it serves by itself again, and
// nothing is lost.
func TestRequestsAreToldToComeAgainWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	url, line := pgtest.Line(t, pgtest.URL(t))
	h := newHouse(t, fmt.Sprintf("database: { url: %q }\n", url))
	var project struct{ ID string }
	if status := h.call("POST", "/api/v1/projects", `{"name":"kept"}`, &project); status != http.StatusCreated {
		t.Fatalf("status %d", status)
	}
	line.Cut()
	for _, request := range []string{
		"GET /api/v1/projects", "GET /api/v1/conversations?limit=3", "GET /api/v1/projects/" + project.ID + "/files",
		`POST /api/v1/projects {"name":"lost"}`, "POST /api/v1/conversations {}", "GET /api/v1/events", "GET /api/v1/audit", "GET /readyz",
	} {
		parts := append(strings.Split(request, " "), "")
		path := parts[1]
		status, header, body := h.answer(parts[0], path, parts[2])
		if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" {
			t.Errorf("%s: %d, Retry-After %q, %s", request, status, header.Get("Retry-After"), body)
		}
		if path == "/readyz" && !strings.Contains(body, "database") {
			t.Errorf("/readyz does not name the database: %s", body)
		}
	}
	if status, _, body := h.answer("GET", "/healthz", ""); status != http.StatusOK {
		t.Errorf("healthz: %d, %s", status, body)
	}
	line.Restore()
	var projects struct{ Items []struct{ Name string } }
	status := h.call("GET", "/api/v1/projects", "", &projects)
	for range 100 { // a connection of the pool may not know yet that it is closed
		if status != http.StatusServiceUnavailable {
			break
		}
		status = h.call("GET", "/api/v1/projects", "", &projects)
	}
	if status != http.StatusOK ||
		len(projects.Items) != 1 || projects.Items[0].Name != "kept" {
		t.Errorf("afterwards: %d, %+v", status, projects)
	}
	if status := h.call("GET", "/readyz", "", nil); status != http.StatusOK {
		t.Errorf("readyz: %d", status)
	}
}

// answer sends a request and returns what came back.
func (h *house) answer(method, path, body string) (status int, header http.Header, text string) {
	h.t.Helper()
	request, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	whole, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(whole)
}
