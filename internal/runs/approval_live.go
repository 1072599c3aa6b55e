package runs

import (
	"context"
	"fmt"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/executor"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// LiveAsk is something that a tool may not do unasked, in the middle of its call.
type LiveAsk struct {
	Arguments map[string]any // what is asked for, for the person
	Findings  []guard.Finding
	// Fill makes the question a form: Arguments are its fields with their defaults,
	// and what a person approves instead of them, or nil, is checked and completed.
	// The error is one for the person. Nil: there is nothing to fill in.
	Fill func(written map[string]any) (map[string]any, error)
}

// AskLive asks a person on behalf of a call under way, and waits for the answer:
// the call's clock and its run's stand still, and a sub-agent's place is free. The
// question is stored and decided like every approval, but only once, and it ends
// with the call: what runs in a process cannot wait longer than that. An error is
// the end of ctx, or a run that is no longer this process's.
func (s *Service) AskLive(ctx context.Context, call tools.Call, ask LiveAsk) (guard.Grant, error) {
	t := s.tree(call.RootRunID)
	if t == nil {
		return guard.Grant{}, agent.ErrLost
	}
	run, err := s.Store.Run(ctx, "", call.RunID)
	if err != nil {
		return guard.Grant{}, err
	}
	canonical, err := tools.Canonical(ask.Arguments)
	if err != nil {
		return guard.Grant{}, err
	}
	approval := s.newApproval(run, executor.Suspension{
		Invocation: tools.Invocation{Name: call.Tool, Arguments: s.covered(string(canonical))},
		Hash:       guard.ArgumentsHash(call.Tool, canonical), Decision: guard.Decision{Findings: ask.Findings},
	})
	approval.CallID, approval.Status = approval.ID, models.ApprovalPending
	answer := s.answers.expect(approval.ID, ask)
	defer s.answers.forget(approval.ID)
	rows := []*models.Outbox{eventRow(EventApprovalAsked, run, approvalPayload{s.ViewApproval(approval)})}
	if err := s.Store.AskLive(ctx, t.fence, approval, rows); err != nil {
		return guard.Grant{}, lost(err)
	}
	t.send(rows)

	resume := call.Pause()
	defer resume()
	back := agent.Wait(ctx)
	select {
	case decided := <-answer:
		return *grantOf(decided), back(ctx)
	case <-ctx.Done():
		_ = back(ctx) // ctx has ended: it takes no place
		s.cancelLive(context.WithoutCancel(ctx), t.root, approval.ID)
		return guard.Grant{}, context.Cause(ctx)
	}
}

// cancelLive ends the wait of a question, or of all that a dead process has left.
func (s *Service) cancelLive(ctx context.Context, root *models.Run, approvalID string) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	rows, err := s.Store.CancelLive(ctx, root.ID, approvalID, func(a *models.Approval) []*models.Outbox {
		return []*models.Outbox{s.resolvedRow(a, root.UserID)}
	})
	if err != nil {
		s.Logger.Warn("could not withdraw a stale approval request", "run", root.ID, "error", err)
		return
	}
	s.send(rows)
}

// onceOnly says why a question within a call cannot be decided so.
func onceOnly(a *models.Approval, req DecideRequest) error {
	switch {
	case !a.Live:
		return nil
	case req.Approve && req.Scope != "" && req.Scope != models.ScopeOnce:
		return &InvalidError{Field: "scope",
			Message: fmt.Sprintf("this can be approved once only, not %q: its words do not say all that will be done",
				req.Scope), Code: "invalid_arguments"}
	}
	return nil
}

// fill checks what a person wrote into the form of a question within a call, and
// binds the decision to it. Without arguments the form's defaults are approved.
func (s *Service) fill(a *models.Approval, req DecideRequest, decision *store.Decision) error {
	asked := s.answers.asked(a.ID)
	if asked == nil || asked.Fill == nil {
		if req.Arguments != nil {
			return &InvalidError{Field: "arguments",
				Message: "this asks within a call that is under way: it can be approved as it is, or denied",
				Code:    "invalid_arguments"}
		}
		return nil
	}
	if !req.Approve {
		return nil
	}
	written := req.Arguments
	if written != nil {
		original, err := tools.Canonical(asked.Arguments)
		if err != nil {
			return err
		}
		if written, err = restoreSecrets(string(original), a.Arguments, written); err != nil {
			return err
		}
	}
	filled, err := asked.Fill(written)
	if err != nil {
		return &InvalidError{Field: "arguments",
			Message: err.Error() + ": approve with arguments that fill in the form", Code: "invalid_arguments"}
	}
	text, err := tools.Canonical(filled)
	if err != nil {
		return err
	}
	decision.EditedArguments, decision.EditedHash = string(text), guard.ArgumentsHash(a.Tool, text)
	decision.EditedShown = s.covered(string(text))
	return nil
}
