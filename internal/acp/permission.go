package acp

import (
	"context"

	"github.com/coder/acp-go-sdk"

	"nanoclaw/internal/tools"
)

// PermissionRequest is something that an agent does not want to do unasked.
type PermissionRequest struct {
	Agent  string // its name in the configuration
	Action string // what it says that it wants to do
	Kind   string // read, edit, delete, move, search, execute, think, fetch, other; may be empty
}

// Decision is the answer. Reason says why something was refused; the agent and
// the model see it.
type Decision struct {
	Allowed bool
	Reason  string
}

// Decide answers the permission requests of agents. It may take its time, which
// does not count against the agent's limit, and ends with ctx, the call's.
type Decide func(ctx context.Context, call tools.Call, request PermissionRequest) Decision

// RefuseAll allows nothing: there is nobody to ask.
func RefuseAll(context.Context, tools.Call, PermissionRequest) Decision {
	return Decision{Reason: "this server cannot ask a person for an approval of external agents, so what needs " +
		"one is refused"}
}

// RequestPermission implements acp.Client.
func (t *task) RequestPermission(ctx context.Context,
	params acp.RequestPermissionRequest) (_ acp.RequestPermissionResponse, err error) {
	defer t.guarded(&err)()
	request := PermissionRequest{Agent: t.name, Action: describe(params.ToolCall)}
	if params.ToolCall.Kind != nil {
		request.Kind = string(*params.ToolCall.Kind)
	}
	decision := t.decide(ctx, request)
	wanted := []acp.PermissionOptionKind{acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways}
	if decision.Allowed {
		wanted = []acp.PermissionOptionKind{acp.PermissionOptionKindAllowOnce} // never more than this once
	} else {
		t.refuse(request.Action, decision.Reason)
	}
	response := acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}
	if !decision.Allowed {
		response.Meta = map[string]any{"reason": decision.Reason}
	}
	for _, kind := range wanted {
		for _, option := range params.Options {
			if option.Kind == kind {
				response.Outcome = acp.NewRequestPermissionOutcomeSelected(option.OptionId)
				return response, nil
			}
		}
	}
	if decision.Allowed {
		t.refuse(request.Action, "it was allowed, but the agent offers no way to do it just once")
	}
	return response, nil
}

// decide asks whoever decides. Both the end of the call and that of the request
// end the wait.
func (t *task) decide(request context.Context, what PermissionRequest) Decision {
	ctx, cancel := context.WithCancelCause(t.ctx)
	defer cancel(nil)
	defer context.AfterFunc(request, func() { cancel(context.Cause(request)) })()
	defer t.clock.Pause()()
	return t.agents.Decide(ctx, t.call, what)
}

func describe(call acp.ToolCallUpdate) string {
	if call.Title != nil && *call.Title != "" {
		return cut(*call.Title, 300)
	}
	return "the tool call " + cut(string(call.ToolCallId), 100)
}
