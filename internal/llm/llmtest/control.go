package llmtest

import (
	"encoding/json"
	"net/http"
)

// control adds the routes by which a test in another process steers the server:
//
//	POST /control/rules                 a script as Load reads it; rules that are there come first
//	POST /control/gates/{name}          opens the gate of that name for good
//	GET  /control/gates/{name}          answers when a reply has arrived at the gate
//	GET  /control/requests?user=TEXT    the recorded requests, of that last user message where it is given
func (s *Server) control(mux *http.ServeMux) {
	mux.HandleFunc("POST /control/rules", func(w http.ResponseWriter, r *http.Request) {
		script, err := Load(r.Body)
		if err != nil {
			writeError(w, http.StatusBadRequest, err.Error(), "invalid_script", "")
			return
		}
		s.Use(script)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /control/gates/{name}", func(w http.ResponseWriter, r *http.Request) {
		s.NamedGate(r.PathValue("name")).Release()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /control/gates/{name}", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-s.NamedGate(r.PathValue("name")).Reached():
			w.WriteHeader(http.StatusNoContent)
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("GET /control/requests", func(w http.ResponseWriter, r *http.Request) {
		var matches []Match
		if text := r.URL.Query().Get("user"); text != "" {
			matches = append(matches, User(text))
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s.Requests(matches...))
	})
}

// NamedGate is the gate of a name, as scripts write it; the first use makes it.
func (s *Server) NamedGate(name string) *Gate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates == nil {
		s.gates = map[string]*Gate{}
	}
	if s.gates[name] == nil {
		s.gates[name] = NewGate()
	}
	return s.gates[name]
}
