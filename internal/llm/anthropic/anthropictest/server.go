package anthropictest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Key is the API key that the server accepts.
const Key = "sk-ant-test-0123456789"

// Server answers POST /v1/messages.
type Server struct {
	http *httptest.Server

	mu        sync.Mutex
	replies   []Reply
	requests  []Request
	abandoned chan struct{}
	refuse    []func(Request) string
}

// NewServer starts a server that is closed at the end of the test.
func NewServer(t testing.TB) *Server {
	s := &Server{abandoned: make(chan struct{}, 100)}
	s.http = httptest.NewServer(s)
	t.Cleanup(func() {
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// URL is the base URL.
func (s *Server) URL() string { return s.http.URL }

// Reply adds replies to the script.
func (s *Server) Reply(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Refuse adds a check of requests: a text is answered with 400 and that message.
// It stands for what only some models refuse.
func (s *Server) Refuse(check func(Request) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = append(s.refuse, check)
}

// Requests are the requests that came, refused ones included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Abandoned receives a value for every caller that left before the end of its answer.
func (s *Server) Abandoned() <-chan struct{} { return s.abandoned }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller left
	}
	var req Request
	switch {
	case r.URL.Path != "/v1/messages" || r.Method != http.MethodPost:
		refuse(w, http.StatusNotFound, "not_found_error", "Not found: "+r.URL.Path)
		return
	case r.Header.Get("X-Api-Key") != Key:
		refuse(w, http.StatusUnauthorized, "authentication_error", "invalid x-api-key")
		return
	case r.Header.Get("Anthropic-Version") == "":
		refuse(w, http.StatusBadRequest, "invalid_request_error", "anthropic-version: header is required")
		return
	}
	if err := json.Unmarshal(body, &req); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "invalid JSON: "+err.Error())
		return
	}
	req.Header, req.Body, req.Remote = r.Header, body, r.RemoteAddr
	reply, complaint := s.take(req)
	if complaint != "" {
		refuse(w, http.StatusBadRequest, "invalid_request_error", complaint)
		return
	}
	if reply.status != 0 {
		for name := range reply.header {
			w.Header().Set(name, reply.header.Get(name))
		}
		refuse(w, reply.status, reply.kind, reply.message)
		return
	}
	s.stream(w, r, reply)
}

func (s *Server) take(req Request) (Reply, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	if complaint := req.Complaint(); complaint != "" {
		return Reply{}, complaint
	}
	for _, check := range s.refuse {
		if complaint := check(req); complaint != "" {
			return Reply{}, complaint
		}
	}
	if len(s.replies) == 0 {
		return Answer(Text("ok")), ""
	}
	reply := s.replies[0]
	if len(s.replies) > 1 {
		s.replies = s.replies[1:]
	}
	return reply, ""
}

func refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_test")
	w.WriteHeader(status)
	_, _ = w.Write(errorBody(kind, message)) // the caller may have left
}
