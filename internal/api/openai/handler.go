package openai

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/runs"
)

type handler struct{ wire.Host }

// New builds the handler of everything below /v1/.
func New(host wire.Host) http.Handler {
	h := &handler{host}
	mux := http.NewServeMux()
	for pattern, do := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /v1/models":                 h.listModels,
		"GET /v1/models/{id...}":         h.getModel,
		"POST /v1/chat/completions":      h.complete,
		"POST /v1/responses":             h.respond,
		"GET /v1/responses/{id}":         h.getResponse,
		"POST /v1/responses/{id}/cancel": h.cancelResponse,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := do(w, r); err != nil {
				h.fail(w, r, err)
			}
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern == "" {
			WriteError(w, http.StatusNotFound, "not_found", "there is no "+r.Method+" "+r.URL.Path+
				": /v1 has models, chat/completions and responses")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// Error is what a request that failed is answered with.
type Error struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

type errorBody struct {
	Error Error `json:"error"`
}

// requestError is a mistake in a request.
type requestError struct {
	status               int
	param, code, message string
}

func (e *requestError) Error() string { return e.message }

func wrong(param, message string) error {
	return &requestError{http.StatusBadRequest, param, "invalid_value", message}
}

// WriteError answers in the form of OpenAI.
func WriteError(w http.ResponseWriter, status int, code, message string) {
	writeError(w, status, "", code, message)
}

func writeError(w http.ResponseWriter, status int, param, code, message string) {
	if status == http.StatusUnprocessableEntity {
		status = http.StatusBadRequest
	}
	wire.WriteJSON(w, status, errorBody{makeError(status, param, code, message)})
}

func makeError(status int, param, code, message string) Error {
	e := Error{Message: message, Type: "invalid_request_error"}
	switch {
	case status == http.StatusUnauthorized:
		e.Type = "authentication_error"
	case status == http.StatusForbidden:
		e.Type = "permission_error"
	case status == http.StatusTooManyRequests:
		e.Type = "rate_limit_error"
	case status >= http.StatusInternalServerError:
		e.Type = "server_error"
	}
	if param != "" {
		e.Param = &param
	}
	if code != "" {
		e.Code = &code
	}
	return e
}

func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the client has left
	}
	var own *requestError
	if errors.As(err, &own) {
		writeError(w, own.status, own.param, own.code, own.message)
		return
	}
	var shared *wire.RequestError
	if errors.As(err, &shared) {
		writeError(w, shared.Status, shared.Field, shared.Code, shared.Message)
		return
	}
	status, code, message := h.Problem(r.Context(), err)
	WriteError(w, status, code, message)
}

// model is an entry of /v1/models.
type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func (h *handler) models() []model {
	agents := []string{runs.DefaultAgent}
	for _, agent := range h.Live.Current().Agents {
		if agent.ID != runs.DefaultAgent {
			agents = append(agents, agent.ID)
		}
	}
	var list []model
	for _, agent := range agents {
		list = append(list, model{agent, "model", begun, "nanoclaw"})
		for _, info := range h.Models.List() {
			if !info.Disabled {
				list = append(list, model{agent + "/" + info.ID, "model", begun, "nanoclaw"})
			}
		}
	}
	return list
}

// begun stands for the moment when a model was made, which nobody knows.
var begun = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

func (h *handler) listModels(w http.ResponseWriter, _ *http.Request) error {
	wire.WriteJSON(w, http.StatusOK, map[string]any{"object": "list", "data": h.models()})
	return nil
}

func (h *handler) getModel(w http.ResponseWriter, r *http.Request) error {
	for _, one := range h.models() {
		if one.ID == r.PathValue("id") {
			wire.WriteJSON(w, http.StatusOK, one)
			return nil
		}
	}
	return noModel(r.PathValue("id"))
}

func noModel(id string) error {
	return &requestError{http.StatusNotFound, "model", "model_not_found", "The model `" + id +
		"` does not exist: use an agent of GET /v1/models, or agent/model"}
}

// resolve takes a model's id apart: an agent, and perhaps a model behind a slash.
func (h *handler) resolve(id string) (agent, modelID string, err error) {
	if id == "" {
		return "", "", wrong("model", "say which model: an agent of GET /v1/models, or agent/model")
	}
	for _, one := range h.models() {
		if one.ID == id {
			agent, modelID, _ = strings.Cut(id, "/")
			return agent, modelID, nil
		}
	}
	return "", "", noModel(id)
}
