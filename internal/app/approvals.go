package app

import (
	"context"

	"nanoclaw/internal/acp"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// ledger is what was approved and called before.
type ledger struct{ store *store.Store }

var _ guard.Ledger = ledger{}

// Standing implements guard.Ledger.
func (l ledger) Standing(ctx context.Context, call tools.Call, tool, hash string) ([]guard.Permission, error) {
	rules, err := l.store.StandingApprovals(ctx, call.UserID, call.ConversationID, tool, hash)
	permissions := make([]guard.Permission, len(rules))
	for i, rule := range rules {
		permissions[i] = guard.Permission{ID: rule.ID, ApprovalID: rule.ApprovalID,
			Coverage: runs.StoredCoverage(rule.Coverage)}
	}
	return permissions, err
}

// Calls implements guard.Ledger.
func (l ledger) Calls(ctx context.Context, call tools.Call, tool string) (inRun, inConversation int, err error) {
	return l.store.CallsBefore(ctx, call.ID, call.RootRunID, call.ConversationID, tool)
}

// decideExternal asks a person about what an external agent does not want to do
// unasked. At level off it is allowed, as every call is.
func (a *App) decideExternal(ctx context.Context, call tools.Call, request acp.PermissionRequest) acp.Decision {
	if a.Live.Current().Guard.Level == guard.Off { // nothing asks
		a.Logger.Warn("an external agent is allowed what it asks for: guard.level is off", "agent", request.Agent,
			"run_id", call.RunID)
		return acp.Decision{Allowed: true}
	}
	allowed, reason := a.askLive(ctx, call, runs.LiveAsk{
		Arguments: map[string]any{"agent": request.Agent, "action": request.Action, "kind": request.Kind},
		Findings: []guard.Finding{{
			ID: "agent.external_permission", Guardian: "external_agent", Severity: guard.Medium,
			Category: "external_agent",
			Message:  "the external agent " + request.Agent + " asks for a permission", Evidence: request.Action,
		}},
	})
	return acp.Decision{Allowed: allowed != nil, Reason: reason}
}

// askLive asks a person in the middle of a call. Nil: it was denied, and reason says why.
func (a *App) askLive(ctx context.Context, call tools.Call, ask runs.LiveAsk) (allowed *guard.Grant, reason string) {
	grant, err := a.Runs.AskLive(ctx, call, ask)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, "the call ended before a person had decided"
	case err != nil:
		a.Logger.Error("a question within a call could not be asked", "tool", call.Tool, "run_id", call.RunID, "error",
			err)
		return nil, "a person could not be asked: internal error, see the server log"
	case grant.Approved:
		return &grant, ""
	case grant.Reason != "":
		return nil, "a person refused it: " + grant.Reason
	case grant.By == "":
		return nil, "not approved in time"
	}
	return nil, "a person refused it"
}
