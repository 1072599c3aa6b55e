package api

import (
	"context"
	"time"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
)

// ApprovalRule is a standing approval.
type ApprovalRule struct {
	ID             string         `json:"id"`
	UserID         string         `json:"user_id" doc:"Whose calls it covers."`
	ConversationID *string        `json:"conversation_id" doc:"null: it holds in all conversations."`
	Tool           string         `json:"tool"`
	Coverage       guard.Coverage `json:"coverage"`
	Arguments      string         `json:"arguments" doc:"Of coverage call: the only ones that it covers, as JSON with secrets covered. Empty otherwise."`
	ApprovalID     string         `json:"approval_id" doc:"The decision that made it."`
	CreatedBy      string         `json:"created_by"`
	CreatedAt      time.Time      `json:"created_at"`
}

func viewApprovalRule(r *models.ApprovalRule) ApprovalRule {
	return ApprovalRule{
		ID: r.ID, UserID: r.UserID, ConversationID: r.ConversationID, Tool: r.Tool, Arguments: r.Arguments,
		Coverage:   runs.StoredCoverage(r.Coverage),
		ApprovalID: r.ApprovalID, CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt.Std(),
	}
}

func (s *server) registerApprovalRules() {
	const tag = "Approvals"
	handle(s, op("GET", "/approvals/rules", "list-approval-rules", tag, "Standing approvals in force, newest first",
		describe("Your own; of an administrator, everybody's.")), s.listApprovalRules)
	handle(s, op("DELETE", "/approvals/rules/{id}", "revoke-approval-rule", tag,
		"Revoke a standing approval: what it covers asks again",
		status(204), byPersons), s.revokeApprovalRule)
}

func (s *server) listApprovalRules(ctx context.Context, in *PageInput) (*struct{ Body *List[ApprovalRule] }, error) {
	owner := s.ownerFilter(ctx)
	part, err := s.Store.ListApprovalRules(ctx, owner, in.page())
	if err != nil {
		return nil, err
	}
	return &struct{ Body *List[ApprovalRule] }{newList(part, viewApprovalRule)}, nil
}

func (s *server) revokeApprovalRule(ctx context.Context, in *PathID) (*struct{}, error) {
	owner := s.ownerFilter(ctx)
	_, err := s.Store.RevokeApprovalRule(ctx, owner, in.ID, currentUser(ctx))
	return nil, err
}
