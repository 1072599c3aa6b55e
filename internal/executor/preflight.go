package executor

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/tools"
)

// preflightTimeout bounds a preflight: a person is asked when it takes longer.
const preflightTimeout = 5 * time.Second

// preflight is why a call that a person would be asked about cannot succeed, or
// nil. What a preflight cannot tell in time, or fails to, is left to the person.
// settled says that no earlier call can change what the call will find.
func (r *batchRun) preflight(ctx context.Context, t *task, settled bool) error {
	if t.tool.Preflight == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, preflightTimeout)
	defer cancel()
	_, err := supervise(ctx, r, t, func(ctx context.Context, call tools.Call) (struct{}, error) {
		call.Progress = func(string, float64) {}
		call.MayLook = func(ctx context.Context, tool string, args map[string]any) bool {
			return settled && r.mayLook(ctx, t, tool, args)
		}
		return struct{}{}, t.tool.Preflight(ctx, call, json.RawMessage(t.canonical))
	})
	if err == nil {
		return nil
	}
	switch tools.CodeOf(err) {
	case tools.CodeInternal, tools.CodeTimeout, tools.CodeCancelled:
		return nil
	}
	return err
}

// mayLook says whether the agent of a call could make another call unasked.
func (r *batchRun) mayLook(ctx context.Context, t *task, name string, args map[string]any) bool {
	tool, err := r.permitted(name)
	if err != nil {
		return false
	}
	values, err := r.injected(tool)
	if err != nil {
		return false
	}
	args = maps.Clone(args)
	if tool.Validate(args) != nil {
		return false
	}
	maps.Copy(args, values)
	canonical, err := tools.Canonical(args)
	if err != nil {
		return false
	}
	call := r.env.Call
	call.ID, call.Tool = t.inv.ID, name
	decision, err := r.ask(ctx, guard.Call{Tool: tool, Call: call, Args: args, Canonical: canonical})
	return err == nil && decision.Verdict == guard.Allow
}
