package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"nanoclaw/internal/datadir"
)

// fakeAPI is a server that answers as API.md says, with events of a test's own.
type fakeAPI struct {
	t *testing.T
	*httptest.Server
	// connections answer GET /runs/{id}/events, one after the other.
	connections []func(w *eventStream)
	refuse      map[string]string // problem's code and detail by "METHOD path"
	projects    []string          // paths of those that there are

	mu       sync.Mutex
	requests []string // "METHOD path body", events and cursors too
	next     int
	stop     chan struct{} // closed by a cancel
	decided  chan string   // the bodies of decisions
	refusals []string      // of decisions, one after the other; empty: it is taken
}

// eventStream is one connection of a fakeAPI.
type eventStream struct {
	http.ResponseWriter
	gone <-chan struct{} // the client left
}

func newFakeAPI(t *testing.T, i *invocation) *fakeAPI {
	f := &fakeAPI{t: t, refuse: map[string]string{}, stop: make(chan struct{}), decided: make(chan string, 10)}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	i.owner = func(string) (*datadir.Owner, error) { return &datadir.Owner{PID: 1, URL: f.URL}, nil }
	i.serveApp = nil // a server of its own would be a mistake
	return f
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		f.t.Error(err)
	}
	path := strings.TrimPrefix(r.URL.RequestURI(), "/api/v1")
	f.mu.Lock()
	f.requests = append(f.requests, strings.TrimSpace(r.Method+" "+path+" "+string(body)+r.Header.Get("Last-Event-ID")))
	f.mu.Unlock()
	if refusal, ok := f.refuse[r.Method+" "+path]; ok {
		code, detail, _ := strings.Cut(refusal, ": ")
		status := map[string]int{"not_found": 404, "run_active": 409, "access_denied": 403, "internal": 500}[code]
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(max(status, 422*btoi(status == 0)))
		json.NewEncoder(w).Encode(map[string]any{"status": status, "code": code, "detail": "body.x: " + detail,
			"errors": []any{map[string]string{"message": detail}}})
		return
	}
	switch {
	case r.Method == "GET" && r.URL.Path == "/api/v1/projects":
		f.listProjects(w, r)
	case r.Method == "POST" && path == "/projects":
		fmt.Fprint(w, `{"id":"made"}`)
	case r.Method == "POST" && path == "/conversations":
		fmt.Fprint(w, `{"id":"conv"}`)
	case r.Method == "POST" && strings.HasSuffix(path, "/runs"):
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, `{"id":"root","status":"queued"}`)
	case strings.HasPrefix(path, "/approvals/"):
		f.decide(w, string(body))
	case path == "/runs/root/cancel":
		close(f.stop)
		fmt.Fprint(w, `{"id":"root"}`)
	case path == "/runs/root/events":
		f.serveEvents(w, r)
	case r.Method == "DELETE":
		w.WriteHeader(http.StatusNoContent)
	default:
		http.NotFound(w, r)
	}
}

// decide takes a decision, or refuses it as 422.
func (f *fakeAPI) decide(w http.ResponseWriter, body string) {
	f.mu.Lock()
	refusal := ""
	if len(f.refusals) > 0 {
		refusal, f.refusals = f.refusals[0], f.refusals[1:]
	}
	f.mu.Unlock()
	if refusal != "" {
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprintf(w, `{"status":422,"code":"invalid_arguments","detail":%q}`, refusal)
		return
	}
	fmt.Fprint(w, `{}`)
	f.decided <- body
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// listProjects gives one project a page.
func (f *fakeAPI) listProjects(w http.ResponseWriter, r *http.Request) {
	var n int
	fmt.Sscan(r.URL.Query().Get("cursor"), &n)
	page := map[string]any{"items": []any{}, "next_cursor": nil}
	if n < len(f.projects) {
		page["items"] = []any{map[string]string{"id": fmt.Sprintf("project-%d", n), "path": f.projects[n]}}
		if n+1 < len(f.projects) {
			page["next_cursor"] = fmt.Sprint(n + 1)
		}
	}
	json.NewEncoder(w).Encode(page)
}

func (f *fakeAPI) serveEvents(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	n := f.next
	f.next++
	f.mu.Unlock()
	if n >= len(f.connections) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	f.connections[n](&eventStream{w, r.Context().Done()})
}

// send writes an event of the root run; id is its cursor.
func (w *eventStream) send(id, kind, payload string) {
	w.Header().Set("Content-Type", "text/event-stream")
	if payload != "" {
		payload = "," + payload
	}
	fmt.Fprintf(w, "id: %s\nevent: %s\ndata: {\"type\":%q,\"run_id\":\"root\",\"root_run_id\":\"root\"%s}\n\n", id,
		kind, kind, payload)
	w.ResponseWriter.(http.Flusher).Flush()
}

func (w *eventStream) text(id string, offset int, delta string) {
	w.send(id, "text.delta", fmt.Sprintf(`"step_id":"s","offset":%d,"delta":%q`, offset, delta))
}

// end is the last event of a run.
func (w *eventStream) end(status, more string) {
	w.send("end", "run.finished",
		fmt.Sprintf(
			`"run":{"id":"root","status":%q,"usage":{"total_tokens":7},"started_at":"2026-01-01T00:00:00Z","finished_at":"2026-01-01T00:00:01.5Z"%s}`, status, more))
}

// asked says what was requested, without listings.
func (f *fakeAPI) asked() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.requests, "\n")
}
