package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"nanoclaw/internal/executor"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/telemetry"
	"nanoclaw/internal/tools"
)

// DecideRequest is a person's decision on a call that waits.
type DecideRequest struct {
	ApprovalID string
	UserID     string // who decides
	UserName   string // in auth_mode multi
	Admin      bool   // may decide for others
	Approve    bool
	Scope      string         // of an approval; empty: once
	Covers     string         // of a wider scope: a guard.Coverage of the call; empty: the same arguments
	Reason     string         // of a denial; the model sees it
	Arguments  map[string]any // of an approval: what runs instead of what was asked; nil: just that
}

// Decide ends the wait of a call. Errors: not_found, also for a foreign call;
// *InvalidError; an *tools.Error with code invalid_arguments for edited arguments
// that the tool does not take; *store.DecidedError where somebody was faster, the
// time is over, or the run has ended.
func (s *Service) Decide(ctx context.Context, req DecideRequest) (*ApprovalView, error) {
	owner := req.UserID
	if req.Admin {
		owner = ""
	}
	approval, err := s.Store.GetApproval(ctx, owner, req.ApprovalID)
	if err != nil {
		return nil, err
	}
	if approval.Status != models.ApprovalPending {
		return nil, &store.DecidedError{Approval: approval}
	}
	if err := s.mayDecide(ctx, approval, req); err != nil {
		return nil, err
	}
	if err := onceOnly(approval, req); err != nil {
		return nil, err
	}
	decision := store.Decision{ApprovalID: approval.ID, Status: models.ApprovalDenied,
		Reason: s.Redactor.String(strings.TrimSpace(req.Reason)), By: req.UserID, ByName: req.UserName}
	if req.Approve {
		decision.Status, decision.Reason, decision.Scope = models.ApprovalApproved, "",
			firstOf(req.Scope, models.ScopeOnce)
	}
	if decision.Coverage, err = s.chooseCoverage(approval, req); err != nil {
		return nil, err
	}
	decision.OtherCalls = len(decision.Coverage) > 0 && StoredCoverage(decision.Coverage).Covers != guard.CoversCall
	if err := s.edit(ctx, approval, req, &decision); err != nil {
		return nil, err
	}
	if approval, err = s.decide(ctx, decision); err != nil {
		return nil, err
	}
	if err := s.decideCovered(ctx, approval); err != nil {
		// The decision itself stands; what it covers can be decided by itself.
		s.Logger.Warn("calls that the approval covers still wait", "approval", approval.ID, "error", err)
	}
	return s.ViewApproval(approval), nil
}

// mayDecide refuses those who see a call but do not answer for it: the owner of the
// conversation does, and administrators. What an owner decides for somebody else's agent
// holds for the owner's conversation, not everywhere.
func (s *Service) mayDecide(ctx context.Context, approval *models.Approval, req DecideRequest) error {
	if req.Admin {
		return nil
	}
	run, err := s.Store.Run(ctx, "", approval.RunID)
	switch {
	case err != nil:
		return err
	case run.UserID != req.UserID:
		return &store.Error{Code: store.CodeForbidden, Message: "the owner of the conversation or an administrator decides"}
	case req.Scope == models.ScopeAlways && approval.UserID != req.UserID:
		return &InvalidError{Field: "scope", Code: "invalid_arguments",
			Message: "another user's agent asks: approve once or for this conversation"}
	}
	return nil
}

// edit checks arguments that a person wrote, and binds the decision to them.
func (s *Service) edit(ctx context.Context, approval *models.Approval, req DecideRequest,
	decision *store.Decision) error {
	if req.Arguments != nil && !req.Approve {
		return &InvalidError{Field: "arguments", Message: "they go with an approval: leave them out of a denial",
			Code: "invalid_arguments"}
	}
	if approval.Live {
		return s.fill(approval, req, decision)
	}
	if req.Arguments == nil {
		return nil
	}
	run, err := s.Store.Run(ctx, "", approval.RunID)
	if err != nil {
		return err
	}
	profile, ok := s.Profile(run.Agent)
	if !ok {
		return &InvalidError{Field: "arguments", Message: fmt.Sprintf("the agent %q is no longer in config.yml",
			run.Agent), Code: "unknown_agent"}
	}
	env, err := s.env(ctx, run, profile)
	if err != nil {
		return err
	}
	edited, err := s.uncover(ctx, approval, req.Arguments)
	if err != nil {
		return err
	}
	text, err := json.Marshal(edited)
	if err != nil {
		return &InvalidError{Field: "arguments", Message: err.Error(), Code: "invalid_arguments"}
	}
	preview, err := s.preview(env, approval, string(text))
	if err != nil {
		return err
	}
	if preview.Hash != approval.ArgumentsHash {
		decision.EditedArguments, decision.EditedHash, decision.EditedShown = preview.Arguments, preview.Hash,
			preview.Shown
	}
	return nil
}

func (s *Service) preview(env executor.Env, approval *models.Approval, arguments string) (executor.Preview, error) {
	return s.Loop.Executor.Preview(env, tools.Invocation{ID: approval.CallID, Name: approval.Tool,
		Arguments: arguments})
}

// decide stores a decision, tells everybody, and lets the run go on.
func (s *Service) decide(ctx context.Context, decision store.Decision) (*models.Approval, error) {
	var of *models.Run
	decision.Outbox = func(approval *models.Approval, root *models.Run, queued bool) []*models.Outbox {
		of = root
		rows := []*models.Outbox{s.resolvedRow(approval, root.UserID)}
		if queued {
			rows = append(rows, workRow(root))
		}
		return rows
	}
	decision.Audit = s.decisionRow
	approval, rows, err := s.Store.Decide(ctx, decision)
	if err != nil {
		return nil, err
	}
	if of != nil {
		s.Tracer.Record(traceOf(of), "approval "+approval.Tool, approval.CreatedAt.Std(), time.Now(),
			telemetry.String("nanoclaw.approval.id", approval.ID),
			telemetry.String("nanoclaw.approval.status", approval.Status))
	}
	s.answers.bring(approval)
	if t := s.tree(approval.RootRunID); t != nil {
		t.send(rows)
		t.wake(approval.RunID)
	} else {
		s.send(rows)
		s.notify(approval.RootRunID)
	}
	return approval, nil
}

// decideCovered approves the other calls that wait and that a decision for more than one
// call covers.
func (s *Service) decideCovered(ctx context.Context, a *models.Approval) error {
	if a.Status != models.ApprovalApproved || a.Scope == models.ScopeOnce {
		return nil
	}
	conversation := a.ConversationID
	if a.Scope == models.ScopeAlways {
		conversation = ""
	}
	waiting, err := s.Store.WaitingCalls(ctx, a.UserID, conversation, a.Tool)
	if err != nil {
		return err
	}
	for _, other := range waiting {
		if !s.coversToo(a, other) {
			continue
		}
		_, err := s.decide(
			ctx,
			store.Decision{ApprovalID: other.ID, Status: models.ApprovalApproved, Scope: models.ScopeOnce,
				By: a.DecidedBy, ByName: a.DecidedByName},
		)
		if err != nil && !store.IsDecided(err) {
			return err
		}
	}
	return nil
}

// resolvedRow tells that a call does not wait any more.
func (s *Service) resolvedRow(a *models.Approval, ownerID string) *models.Outbox {
	run := &models.Run{ID: a.RunID, RootRunID: a.RootRunID, ConversationID: a.ConversationID, UserID: ownerID,
		AgentPath: a.AgentPath}
	return eventRow(EventApprovalResolved, run, approvalPayload{s.ViewApproval(a)})
}

// decisionRow tells the audit who decided what.
func (s *Service) decisionRow(a *models.Approval) *models.Audit {
	row := &models.Audit{
		Time: a.DecidedAt, Kind: models.AuditDecision, UserID: a.DecidedBy, ProjectID: a.ProjectID,
		ConversationID: a.ConversationID,
		RunID:          a.RunID, RootRunID: a.RootRunID, CallID: a.CallID, AgentPath: a.AgentPath, Tool: a.Tool,
		Outcome:   a.Status,
		Arguments: a.Arguments, Severity: worst(s.ViewApproval(a).Findings),
		Detail:         strings.TrimSpace(strings.Join([]string{a.Scope, coverageDetail(a), a.Reason}, " ")),
		DurationMicros: int64(a.DecidedAt - a.CreatedAt),
	}
	if a.EditedArguments != "" {
		row.Arguments = s.covered(a.EditedArguments)
	}
	if a.Live { // what was asked is in no call
		for _, finding := range s.ViewApproval(a).Findings {
			row.Detail = strings.TrimSpace(row.Detail + "\n" + finding.Message)
		}
	}
	if limit := s.Settings().AuditText; limit > 0 {
		row.Arguments = store.ShortArguments(row.Arguments, limit)
	}
	return row
}

// coverageDetail names what a decision covers beside its own call.
func coverageDetail(a *models.Approval) string {
	if len(a.Coverage) == 0 {
		return ""
	}
	return StoredCoverage(a.Coverage).String()
}

// expireApprovals ends the wait of the calls whose time is over: they count as denied.
func (s *Service) expireApprovals(ctx context.Context) error {
	ids, err := s.Store.OverdueApprovals(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		_, err := s.decide(ctx, store.Decision{ApprovalID: id, Status: models.ApprovalExpired})
		if err != nil && !store.IsDecided(err) {
			return err
		}
	}
	return nil
}
