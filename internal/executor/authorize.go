package executor

import (
	"context"
	"fmt"
	"runtime/debug"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/tools"
)

// authorize asks the guard about every call, in call order, before any of them runs.
// The calls of one conversation, those of its sub-agents included, are judged one
// after the other. A call that needs approval is suspended; a later one that has
// to come after it waits behind it, and is asked about at once where it needs an
// approval too, so that a person can decide on all of them in any order.
func (r *batchRun) authorize(ctx context.Context) error {
	unlock, err := r.authorizing.lock(ctx, r.conversation())
	if err != nil {
		return err
	}
	defer unlock()
	waiting, waitingExclusive := false, false // an ordered call is suspended
	changes := false                          // an exclusive call is to run before this one
	for _, t := range r.tasks {
		if t.phase != prepared || t.duplicateOf != nil {
			continue
		}
		if err := r.judgeOne(ctx, t, !changes); err != nil {
			return err
		}
		changes = changes || t.exclusive() && t.phase != answered
		if t.phase == prepared && (t.exclusive() && waiting || t.ordered() && waitingExclusive) {
			t.phase, t.deferred = suspended, true
		}
		if t.phase == suspended {
			waiting = waiting || t.ordered()
			waitingExclusive = waitingExclusive || t.exclusive()
		}
	}
	return nil
}

func (r *batchRun) conversation() string {
	if id := r.env.Call.ConversationID; id != "" {
		return id
	}
	return "run " + r.env.Call.RootRunID
}

// judgeOne asks the guard about one call, and then a person where the call could
// succeed. settled says that the world is as the call will find it.
func (r *batchRun) judgeOne(ctx context.Context, t *task, settled bool) error {
	if t.grant != nil && !t.grant.Approved {
		r.fail(t, denial(*t.grant))
		return nil
	}
	call := r.env.Call
	call.ID, call.Tool = t.inv.ID, t.tool.Name
	decision, err := r.ask(ctx, guard.Call{Tool: t.tool, Call: call, Args: t.args, Canonical: t.canonical,
		Granted: t.grant})
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.log.ErrorContext(ctx, "the guard failed, the call is blocked", "tool", t.tool.Name, "call_id", t.inv.ID,
			"run_id", call.RunID, "error", err)
		decision = guard.Decision{Verdict: guard.Deny, Reason: "the security check of this call failed; it was not run"}
	}
	t.decision = decision
	switch {
	case decision.Verdict == guard.Allow, decision.Verdict == guard.Preapproved:
	case decision.Verdict == guard.NeedsApproval && t.grant != nil: // approved
	case decision.Verdict == guard.NeedsApproval:
		if err := r.preflight(ctx, t, settled); err != nil {
			r.fail(t, err)
			return nil
		}
		suspension := Suspension{Invocation: t.asked, Hash: guard.ArgumentsHash(t.tool.Name, t.canonical),
			Decision: decision, Stale: t.stale}
		if err := r.env.Journal.CallSuspended(ctx, suspension); err != nil {
			return fmt.Errorf("suspend call %s of %s: %w", t.inv.ID, t.tool.Name, err)
		}
		t.phase = suspended
	default:
		r.fail(t, block(decision))
	}
	return nil
}

// ask turns a panic of the guard into an error: it fails closed.
func (r *batchRun) ask(ctx context.Context, call guard.Call) (decision guard.Decision, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the guard panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return r.guard.Check(ctx, call)
}

// clearance is what the guard's decision means to the tool.
func clearance(t *task) tools.Clearance {
	if t.decision.Verdict == guard.Allow {
		return tools.Allowed
	}
	return tools.Approved // nothing else lets a call run
}

func denial(grant guard.Grant) error {
	switch {
	case grant.Reason != "":
		return tools.Errorf(tools.CodeDenied, "the call was denied: %s", grant.Reason)
	case grant.By == "":
		return tools.Errorf(tools.CodeDenied, "the call was denied: it was not approved in time")
	}
	return tools.Errorf(tools.CodeDenied, "the user denied the call; do not try it again, ask what to do instead")
}

func block(decision guard.Decision) error {
	reason := decision.Reason
	if reason == "" {
		reason = "it is not allowed by the security rules"
		if len(decision.Findings) > 0 {
			reason = decision.Findings[0].Message
		}
	}
	return tools.Errorf(tools.CodeBlocked, "the call was blocked: %s", reason)
}
