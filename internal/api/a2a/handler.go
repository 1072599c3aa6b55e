// Package a2a speaks the Agent2Agent protocol, version 1.0, over JSON-RPC. A task is a
// root run, a context is a conversation. It decides nothing by itself: runs, guard,
// approvals and budgets are those of every turn.
package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
)

// Where the handler belongs.
const (
	Prefix   = "/a2a"
	CardPath = "/.well-known/agent-card.json"
)

type handler struct{ wire.Host }

// New builds the handler of Prefix and CardPath.
func New(host wire.Host) http.Handler {
	h := &handler{host}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+CardPath, h.card)
	mux.HandleFunc("GET "+Prefix+CardPath, h.card)
	mux.HandleFunc("GET "+Prefix+"/{agent}"+CardPath, h.card)
	mux.HandleFunc("POST "+Prefix, h.serve)
	mux.HandleFunc("POST "+Prefix+"/{agent}", h.serve)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern == "" {
			WriteError(w, http.StatusNotFound, "not_found", "there is no "+r.Method+" "+r.URL.Path)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// Codes of JSON-RPC 2.0, and those of the protocol (section 5.4 of its specification).
const (
	parseError           = -32700
	invalidRequest       = -32600
	methodNotFound       = -32601
	invalidParams        = -32602
	internalError        = -32603
	taskNotFound         = -32001
	taskNotCancelable    = -32002
	pushNotSupported     = -32003
	unsupportedOperation = -32004
	noExtendedCard       = -32007
	versionNotSupported  = -32009
)

// reasons are the names of the protocol's codes.
var reasons = map[int]string{
	taskNotFound: "TASK_NOT_FOUND", taskNotCancelable: "TASK_NOT_CANCELABLE",
	pushNotSupported: "PUSH_NOTIFICATION_NOT_SUPPORTED", unsupportedOperation: "UNSUPPORTED_OPERATION",
	noExtendedCard: "EXTENDED_AGENT_CARD_NOT_CONFIGURED", versionNotSupported: "VERSION_NOT_SUPPORTED",
}

type object = map[string]any

// rpcError is an error of a call.
type rpcError struct {
	code    int
	message string
}

func (e *rpcError) Error() string { return e.message }

func fail(code int, format string, args ...any) error {
	return &rpcError{code, fmt.Sprintf(format, args...)}
}

func (e *rpcError) body(own string) object {
	reason, domain := reasons[e.code], "a2a-protocol.org"
	if reason == "" {
		reason, domain = own, "nanoclaw"
	}
	body := object{"code": e.code, "message": e.message}
	if reason != "" {
		body["data"] = []object{{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": domain}}
	}
	return body
}

// WriteError answers what fails before a call is read.
func WriteError(w http.ResponseWriter, status int, code, message string) {
	e := &rpcError{invalidRequest, message}
	wire.WriteJSON(w, status, object{"jsonrpc": "2.0", "id": nil, "error": e.body(code)})
}

// call is a request of JSON-RPC.
type call struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`

	agent string // of the path; empty: the request's, or the default one
}

// serve answers one call.
func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	c := call{agent: r.PathValue("agent")}
	err := wire.ReadJSON(r, &c)
	var malformed *wire.RequestError
	switch version := r.Header.Get("A2A-Version"); {
	case errors.As(err, &malformed) && malformed.Code == "invalid_json":
		err = fail(parseError, "%s", malformed.Message)
	case errors.As(err, &malformed):
		err = fail(invalidRequest, "%s", malformed.Message)
	case err != nil:
	case c.Version != "2.0" || c.Method == "" || !c.validID():
		err = fail(invalidRequest, "the body is no JSON-RPC 2.0 request")
	case version != "" && version != "1.0":
		err = fail(versionNotSupported, "version %s is not spoken here: use 1.0", version)
	default:
		err = h.dispatch(w, r, &c)
	}
	if err == nil || r.Context().Err() != nil {
		return
	}
	h.answerError(w, r, &c, err)
}

func (h *handler) answerError(w http.ResponseWriter, r *http.Request, c *call, err error) {
	known, code := h.rpcError(r.Context(), err)
	wire.WriteJSON(w, http.StatusOK, object{"jsonrpc": "2.0", "id": c.id(), "error": known.body(code)})
}

// validID says whether the id is a text, a number or null (section 4 of JSON-RPC 2.0).
func (c *call) validID() bool {
	return len(c.ID) == 0 || !bytes.ContainsAny(c.ID[:1], "[{tf")
}

func (c *call) id() any {
	if len(c.ID) == 0 {
		return nil
	}
	return c.ID
}

// rpcError is an error as clients see it, with its code in the API.
func (h *handler) rpcError(ctx context.Context, err error) (_ *rpcError, code string) {
	var known *rpcError
	if errors.As(err, &known) {
		return known, ""
	}
	status, code, message := h.Explain(ctx, err)
	if status >= http.StatusInternalServerError {
		return &rpcError{internalError, message}, code
	}
	return &rpcError{invalidParams, message}, code
}

func (h *handler) dispatch(w http.ResponseWriter, r *http.Request, c *call) error {
	switch c.Method {
	case "SendMessage":
		return h.send(w, r, c)
	case "SendStreamingMessage":
		return h.sendStreaming(w, r, c)
	case "GetTask":
		return h.getTask(w, r, c)
	case "CancelTask":
		return h.cancelTask(w, r, c)
	case "SubscribeToTask":
		return h.subscribe(w, r, c)
	case "ListTasks":
		return h.listTasks(w, r, c)
	case "GetExtendedAgentCard":
		return fail(noExtendedCard, "there is no card beside the public one")
	case "CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs",
		"DeleteTaskPushNotificationConfig":
		return fail(pushNotSupported, "tasks are not pushed: subscribe to them")
	}
	return fail(methodNotFound, "there is no method %q in version 1.0 of the protocol", c.Method)
}

func (c *call) params(into any) error {
	if err := json.Unmarshal(c.Params, into); err != nil {
		return fail(invalidParams, "the params of %s: %v", c.Method, err)
	}
	return nil
}

func (c *call) answer(w http.ResponseWriter, result any) error {
	wire.WriteJSON(w, http.StatusOK, c.result(result))
	return nil
}

func (c *call) result(result any) object {
	return object{"jsonrpc": "2.0", "id": c.id(), "result": result}
}

// taskParams are those of the calls about one task.
type taskParams struct {
	ID            string `json:"id"`
	HistoryLength *int   `json:"historyLength"`
}

func (p taskParams) check() error { return checkHistory(p.HistoryLength) }

func checkHistory(length *int) error {
	if length != nil && *length < 0 {
		return fail(invalidParams, "historyLength is %d, but must not be negative", *length)
	}
	return nil
}

// task finds the run of a task.
func (h *handler) task(ctx context.Context, id string) (*runs.RunView, error) {
	run, err := h.Runs.Run(ctx, h.User(ctx), id)
	if store.IsCode(err, store.CodeNotFound) || err == nil && run.ParentRunID != nil {
		return nil, fail(taskNotFound, "there is no task %q", id)
	}
	return run, err
}
