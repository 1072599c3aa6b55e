// Package agui speaks the Agent-User Interaction protocol, version 1.0. A thread is a
// conversation; a run of the protocol is one request, which begins a run of this server
// or lets one go on. It decides nothing by itself: runs, guard, approvals and budgets
// are those of every turn.
package agui

import (
	"net/http"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/api/wire"
)

// Prefix is where the handler belongs.
const Prefix = "/ag-ui"

const protocol = "ag-ui"

type handler struct{ wire.Host }

// New builds the handler of everything below Prefix.
func New(host wire.Host) http.Handler {
	h := &handler{host}
	mux := http.NewServeMux()
	for pattern, do := range map[string]func(http.ResponseWriter, *http.Request) error{
		"POST " + Prefix + "/{agent}":            h.run,
		"DELETE " + Prefix + "/{agent}/{thread}": h.stop,
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
			WriteError(w, http.StatusNotFound, "not_found", "there is no "+r.Method+" "+r.URL.Path+
				": POST "+Prefix+"/{agent} runs an agent")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// WriteError answers a request that begins no run; the fields are those of RUN_ERROR.
func WriteError(w http.ResponseWriter, status int, code, message string) {
	wire.WriteJSON(w, status, map[string]string{"message": message, "code": code})
}

func (h *handler) run(w http.ResponseWriter, r *http.Request) error {
	var in input
	if err := wire.ReadJSON(r, &in); err != nil {
		return err
	}
	done, err := h.OpenStream(r.Context())
	if err != nil {
		return err
	}
	defer done()
	going, err := h.begin(r.Context(), r.PathValue("agent"), &in)
	if err != nil {
		return err
	}
	return h.stream(w, r, &in, going)
}

// stop cancels the run under way in a thread.
func (h *handler) stop(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	user := h.User(ctx)
	conv, _, err := turn.Find(ctx, h.Store, user, protocol, r.PathValue("thread"))
	if err != nil {
		return err
	}
	if conv != nil {
		active, err := h.Store.ActiveRuns(ctx, conv.ID)
		if err != nil {
			return err
		}
		for _, run := range active {
			if _, err := h.Runs.Cancel(ctx, user, run.ID); err != nil {
				return err
			}
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
