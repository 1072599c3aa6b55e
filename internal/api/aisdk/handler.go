// Package aisdk speaks the UI message stream of the AI SDK, which useChat of
// @ai-sdk/react shows. A chat is a conversation, an assistant's message is the answer of
// one run. It decides nothing by itself: runs, guard, approvals and budgets are those of
// every turn.
package aisdk

import (
	"net/http"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/api/wire"
)

// Prefix is where the handler belongs.
const Prefix = "/api/v1/ai-sdk"

const protocol = "ai-sdk"

type handler struct{ wire.Host }

// New builds the handler of everything below Prefix.
func New(host wire.Host) http.Handler {
	h := &handler{host}
	mux := http.NewServeMux()
	for pattern, do := range map[string]func(http.ResponseWriter, *http.Request) error{
		"POST " + Prefix + "/chat":               h.chat,
		"GET " + Prefix + "/chat/{id}/stream":    h.resume,
		"DELETE " + Prefix + "/chat/{id}/stream": h.stop,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := do(w, r); err != nil && r.Context().Err() == nil {
				status, code, message := h.Explain(r.Context(), err)
				WriteError(w, status, code, message)
			}
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern == "" {
			WriteError(w, http.StatusNotFound, "not_found", "there is no "+r.Method+" "+r.URL.Path)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// WriteError answers with a text: useChat shows it as the error's message.
func WriteError(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(code + ": " + message)) // a client that has left is nobody's error
}

func (h *handler) chat(w http.ResponseWriter, r *http.Request) error {
	var req request
	if err := wire.ReadJSON(r, &req); err != nil {
		return err
	}
	done, err := h.OpenStream(r.Context())
	if err != nil {
		return err
	}
	defer done()
	answer, err := h.begin(r.Context(), &req)
	if err != nil {
		return err
	}
	return h.stream(w, r, answer)
}

// resume sends the answer under way from its beginning; 204: none is.
func (h *handler) resume(w http.ResponseWriter, r *http.Request) error {
	answer, err := h.active(r)
	if err != nil {
		return err
	}
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	done, err := h.OpenStream(r.Context())
	if err != nil {
		return err
	}
	defer done()
	return h.stream(w, r, answer)
}

// stop cancels the run under way.
func (h *handler) stop(w http.ResponseWriter, r *http.Request) error {
	answer, err := h.active(r)
	if err == nil && answer != nil {
		_, err = h.Runs.Cancel(r.Context(), h.User(r.Context()), answer.run.ID)
	}
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// active is the answer under way in the chat of a request; nil: none is.
func (h *handler) active(r *http.Request) (*answer, error) {
	ctx := r.Context()
	user := h.User(ctx)
	conv, _, err := turn.Find(ctx, h.Store, user, protocol, r.PathValue("id"))
	if err != nil || conv == nil {
		return nil, err
	}
	return h.activeIn(ctx, conv.ID)
}
