package runs

import (
	"context"
	"strings"
	"time"

	"nanoclaw/internal/executor"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// CallSuspended asks a person, once: the call waits in the store from now on.
func (j *journal) CallSuspended(ctx context.Context, call executor.Suspension) error {
	s := j.tree.service
	j.tree.ask(call.Invocation.ID)
	rows, err := s.Store.AskApproval(ctx, j.tree.fence, s.newApproval(j.run, call), call.Stale,
		func(a *models.Approval) []*models.Outbox {
			event := EventApprovalAsked
			if a.Status != models.ApprovalPending {
				event = EventApprovalResolved // another one takes its place
			}
			return []*models.Outbox{eventRow(event, j.run, approvalPayload{s.ViewApproval(a)})}
		})
	if err != nil {
		return lost(err)
	}
	j.tree.send(rows)
	return nil
}

func (s *Service) newApproval(run *models.Run, call executor.Suspension) *models.Approval {
	asked := time.Now()
	findings := call.Decision.Findings
	if len(findings) == 0 && call.Decision.Reason != "" { // a setting asks, not something in the call
		findings = []guard.Finding{{ID: strings.TrimSuffix("guard.setting."+call.Decision.Setting, "."), Guardian: "guard", Severity: guard.Info,
			Message: call.Decision.Reason}}
	}
	approval := &models.Approval{
		ID: store.NewID(), CallID: call.Invocation.ID, RunID: run.ID, RootRunID: run.RootRunID,
		ConversationID: run.ConversationID,
		ProjectID:      run.ProjectID, UserID: run.Actor(), AgentPath: run.AgentPath, Tool: call.Invocation.Name,
		ArgumentsHash: call.Hash, Arguments: call.Invocation.Arguments, Findings: encode(s.coverFindings(findings)),
		Coverages: encode(s.shownCoverages(call.Decision.Coverages)),
		CreatedAt: models.TimeOf(asked),
	}
	if limit := s.Settings().ApprovalTimeout; limit > 0 {
		approval.ExpiresAt = models.TimeOf(asked.Add(limit))
	}
	return approval
}

// coverFindings keeps the secrets of the arguments out of what is said about them.
func (s *Service) coverFindings(findings []guard.Finding) []guard.Finding {
	covered := make([]guard.Finding, len(findings))
	for i, finding := range findings {
		finding.Message, finding.Evidence = s.Redactor.String(finding.Message), s.Redactor.String(finding.Evidence)
		covered[i] = finding
	}
	return covered
}

// closeApproval ends the wait of a call that runs, or has its answer, without a
// decision: the rules have changed since it was asked.
func (j *journal) closeApproval(ctx context.Context, callID string) error {
	if !j.tree.unask(callID) {
		return nil
	}
	s := j.tree.service
	rows, err := s.Store.CloseApproval(ctx, j.tree.fence, callID, func(a *models.Approval) []*models.Outbox {
		return []*models.Outbox{eventRow(EventApprovalResolved, j.run, approvalPayload{s.ViewApproval(a)})}
	})
	if err != nil {
		return lost(err)
	}
	j.tree.send(rows)
	return nil
}
