package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
)

// Approval is a call that waits for a person, or what was decided on it.
type Approval = runs.ApprovalView

type approvalOutput struct{ Body *Approval }

type listApprovalsInput struct {
	PageInput
	Status       string `query:"status" enum:"pending,approved,denied,expired,cancelled" doc:"Left out: all."`
	Conversation string `query:"conversation_id" doc:"The conversation's id."`
}

type decideInput struct {
	PathID
	Body struct {
		Decision  string         `json:"decision" enum:"approve,deny"`
		Scope     string         `json:"scope,omitempty" enum:",once,conversation,always" doc:"Of an approval. once (the default): this call. conversation, always: what covers says does not ask again, here or anywhere."`
		Covers    string         `json:"covers,omitempty" enum:",call,prefix,rule,tool" doc:"Of scope conversation and always: one of the approval's coverages. Left out: call, the same arguments."`
		Arguments map[string]any `json:"arguments,omitempty" doc:"Approve with these arguments instead of the model's. The approval covers nothing else."`
		Reason    string         `json:"reason,omitempty" maxLength:"2000" doc:"Of a denial. The model sees it."`
	}
}

func (s *server) registerApprovals() {
	const tag = "Approvals"
	handle(s, op("GET", "/approvals", "list-approvals", tag, "Calls that wait or waited for a person, newest first",
		describe("Your own; of an administrator, everybody's.")), s.listApprovals)
	handle(s, op("GET", "/approvals/{id}", "get-approval", tag, "One of them"), s.getApproval)
	handle(s, op("POST", "/approvals/{id}", "decide", tag, "Approve or deny a call",
		describe("The owner of the conversation or an administrator decides, once: later decisions are answered with "+
			"409 and the state. "+
			"Arguments that the tool does not take are answered with 422 and what to mend, a coverage that "+
			"the call does not have with 422 and invalid_coverage; the approval stays pending."), byPersons), s.decide)
	s.registerApprovalRules()
	s.registerApprovalChanges()
}

func (s *server) listApprovals(ctx context.Context, in *listApprovalsInput) (*struct{ Body *List[*Approval] }, error) {
	owner := s.ownerFilter(ctx)
	part, err := s.Store.ListApprovals(ctx, store.ApprovalQuery{UserID: owner, ConversationID: in.Conversation,
		Status: in.Status, Page: in.page()})
	if err != nil {
		return nil, err
	}
	return &struct{ Body *List[*Approval] }{newList(part,
		func(a *models.Approval) *Approval { return s.Runs.ViewApproval(a) })}, nil
}

func (s *server) getApproval(ctx context.Context, in *PathID) (*approvalOutput, error) {
	owner := s.ownerFilter(ctx)
	approval, err := s.Store.GetApproval(ctx, owner, in.ID)
	if err != nil {
		return nil, err
	}
	return &approvalOutput{s.Runs.ViewApproval(approval)}, nil
}

func (s *server) decide(ctx context.Context, in *decideInput) (*approvalOutput, error) {
	owner := s.ownerFilter(ctx)
	if in.Body.Decision == "deny" && in.Body.Scope != "" && in.Body.Scope != models.ScopeOnce {
		return nil, invalidField("body.scope", "a denial is for this call alone: leave the scope out")
	}
	approval, err := s.Runs.Decide(ctx, runs.DecideRequest{
		ApprovalID: in.ID, UserID: currentUser(ctx), UserName: currentName(ctx), Admin: owner == "", Approve: in.Body.Decision == "approve",
		Scope: in.Body.Scope, Covers: in.Body.Covers, Reason: in.Body.Reason, Arguments: in.Body.Arguments,
	})
	if err != nil {
		return nil, err
	}
	return &approvalOutput{approval}, nil
}

// obeyed is what a command in a message has decided.
type obeyed struct {
	Command   string      `json:"command" enum:"approve,deny"`
	Approvals []*Approval `json:"approvals"`
}

// obey carries out a message that is a command.
func (s *server) obey(ctx context.Context, conversationID string, command runs.Command) (*startedOutput, error) {
	if err := s.requirePerson(ctx); err != nil {
		return nil, err
	}
	decided, err := s.Runs.Obey(ctx, runs.DecideRequest{UserID: currentUser(ctx), UserName: currentName(ctx)},
		conversationID, command)
	if err != nil {
		return nil, err
	}
	answer := obeyed{Command: "deny", Approvals: decided}
	if command.Approve {
		answer.Command = "approve"
	}
	return &startedOutput{Body: func(hc huma.Context) {
		c := humaecho.Unwrap(hc)
		if err := c.JSON(http.StatusOK, answer); err != nil {
			c.Error(err)
		}
	}}, nil
}

// ownerFilter is whose approvals and audit the user may see and decide: the own ones, or,
// as an administrator, everybody's (empty).
func (s *server) ownerFilter(ctx context.Context) string {
	if i := requestOf(ctx).identity; s.Accounts == nil || i != nil && i.Admin() {
		return ""
	}
	return currentUser(ctx)
}

// decidedProblem is the 409 of a decision that comes too late.
func decidedProblem(err *store.DecidedError) *Problem {
	p := newProblem(http.StatusConflict, err.ErrorCode(), err.Error())
	p.State = err.Approval.Status
	return p
}
