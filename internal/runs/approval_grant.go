package runs

import (
	"context"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/models"
)

// handOver gives a run's unfinished calls the decisions on them that there are by
// now. From then on the tree knows them.
func (s *Service) handOver(ctx context.Context, t *tree, runID string, steps []*agent.Step) error {
	if len(steps) == 0 {
		return nil
	}
	approvals, err := s.Store.CallApprovals(ctx, runID)
	if err != nil {
		return err
	}
	grants := make(map[string]*guard.Grant, len(approvals))
	for _, approval := range approvals {
		if t.see(approval) {
			grants[approval.CallID] = grantOf(approval)
		}
	}
	for _, call := range steps[len(steps)-1].Calls {
		call.Grant = grants[call.ID]
	}
	return nil
}

// grantOf is what the executor learns of a decision.
func grantOf(a *models.Approval) *guard.Grant {
	grant := &guard.Grant{Approved: a.Status == models.ApprovalApproved, Arguments: a.EditedArguments, Reason: a.Reason,
		By: a.DecidedBy}
	if grant.Approved {
		grant.Hash = firstOf(a.EditedHash, a.ArgumentsHash)
	}
	return grant
}
