package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// TB is what the server needs of *testing.T or *testing.B.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Server is a scripted model server on a loopback port.
type Server struct {
	journal journal

	mu     sync.RWMutex
	rules  []*Rule
	models []string
	gates  map[string]*Gate

	listener net.Listener
	http     *http.Server
	done     chan struct{} // closed when Serve has returned
	stop     context.CancelFunc
}

// NewServer starts a server on a free loopback port. With a t it ends with the
// test; with nil the caller closes it, and a port that cannot be had panics.
func NewServer(t TB) *Server {
	if t != nil {
		t.Helper()
	}
	s, err := Listen("127.0.0.1:0")
	switch {
	case err != nil && t != nil:
		t.Fatalf("start llmtest: %v", err)
	case err != nil:
		panic(fmt.Sprintf("start llmtest: %v", err))
	case t != nil:
		t.Cleanup(s.Close)
	}
	return s
}

// Listen starts a server on an address such as 127.0.0.1:8899. The caller closes it.
func Listen(address string) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{listener: listener, done: make(chan struct{}), stop: stop, models: []string{"test-model"}}
	s.http = &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listener) // ends with ErrServerClosed
	}()
	return s, nil
}

// Handler is the server's routes, for a server of the caller's own.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, prefix := range []string{"", "/v1"} {
		mux.HandleFunc("POST "+prefix+"/chat/completions", s.chat)
		mux.HandleFunc("GET "+prefix+"/models", s.listModels)
	}
	s.control(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, fmt.Sprintf("llmtest: no route %s %s", r.Method, r.URL.Path), "not_found",
			"")
	})
	return mux
}

// URL is the base URL for a client, with /v1 at its end.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/v1" }

// Close ends every answer at work and waits for the server.
func (s *Server) Close() {
	s.stop()
	_ = s.http.Close() // the listener's error says nothing here
	<-s.done
}

// On adds a rule for the requests that all matches apply to.
func (s *Server) On(matches ...Match) *Rule {
	rule := &Rule{match: All(matches...)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = append(s.rules, rule)
	return rule
}

// Default adds a rule that answers everything, however many rules follow it:
// it is asked last.
func (s *Server) Default() *Rule {
	rule := s.On()
	rule.last = true
	return rule
}

// Models sets what GET /v1/models lists.
func (s *Server) Models(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = names
}

// Reset forgets the rules and the recorded requests.
func (s *Server) Reset() {
	s.mu.Lock()
	s.rules = nil
	s.mu.Unlock()
	s.journal.reset()
}

// Keep bounds how many finished requests are remembered; 0 keeps all.
func (s *Server) Keep(limit int) { s.journal.keep(limit) }

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	req, err := decodeRequest(body)
	if err != nil {
		writeError(w, http.StatusBadRequest, "llmtest: "+err.Error(), "invalid_request_error", "")
		return
	}
	req.Header = r.Header.Clone()
	e := s.journal.begin(req)
	req = e.request // numbered; only its begin and end change later
	// Deferred: some faults end the request with a panic.
	defer func() { s.journal.end(e, r.Context().Err() != nil) }()

	rule := s.find(req)
	if rule == nil {
		s.journal.markUnmatched(e)
		writeError(w, http.StatusBadRequest, fmt.Sprintf(
			"llmtest: no rule matches this request: model %q, model call %d of the conversation, last user message "+
				"%q, last message of role %q",
			req.Model, req.Call(), req.User(), req.Last().Role), "invalid_request_error", "llmtest_no_rule")
		return
	}
	answer{reply: rule.reply(req).filled(req), request: req}.write(r.Context(), w)
}

func (s *Server) find(req Request) *Rule {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var last *Rule
	for _, rule := range s.rules {
		switch {
		case rule.last:
			last = rule
		case rule.match(req):
			return rule
		}
	}
	return last
}

func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	data := make([]model, len(s.models))
	for i, name := range s.models {
		data[i] = model{name, "model"}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data})
}

func writeError(w http.ResponseWriter, status int, message, kind, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	object := map[string]any{"message": message, "type": kind, "code": nil, "param": nil}
	if code != "" {
		object["code"] = code
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"error": object})
}
