package runs

import (
	"encoding/json"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/models"
	"nanoclaw/internal/tools"
)

// ApprovalView is a call that waits for a person, or what was decided on it, as
// clients see it: with secrets covered.
type ApprovalView struct {
	ID              string           `json:"id"`
	ToolCall        ApprovalCall     `json:"tool_call"`
	Findings        []guard.Finding  `json:"findings" doc:"What the guard noticed, the reasons why it asks."`
	Status          string           `json:"status" enum:"pending,approved,denied,expired,cancelled"`
	Scope           string           `json:"scope,omitempty" enum:"once,conversation,always"`
	Coverages       []guard.Coverage `json:"coverages" doc:"What a standing approval of this call can cover (scope conversation or always), the narrowest first. Empty: it can be approved once only."`
	Coverage        *guard.Coverage  `json:"coverage,omitempty" doc:"What the decision covers, of scope conversation and always."`
	EditedArguments string           `json:"edited_arguments,omitempty" doc:"What was approved instead of what was asked, as JSON."`
	Reason          string           `json:"reason,omitempty" doc:"Of a denial; the model sees it."`
	DecidedBy       *string          `json:"decided_by" doc:"The user; null: nobody has, or it expired."`
	DecidedByName   string           `json:"decided_by_name,omitempty" doc:"The user's name, in auth_mode multi."`
	UserID          string           `json:"user_id" doc:"Whose agent asks."`
	ConversationID  string           `json:"conversation_id"`
	ProjectID       *string          `json:"project_id"`
	RunID           string           `json:"run_id" doc:"The root run or the sub-agent that made the call."`
	RootRunID       string           `json:"root_run_id"`
	AgentPath       string           `json:"agent_path"`
	CreatedAt       models.Time      `json:"created_at"`
	DecidedAt       models.Time      `json:"decided_at"`
	ExpiresAt       models.Time      `json:"expires_at" doc:"Undecided by then it counts as denied; null: never."`
}

// ApprovalCall is the call that an approval is about, as the model made it.
type ApprovalCall struct {
	ID        string             `json:"id"`
	Type      string             `json:"type"`
	Function  tools.FunctionCall `json:"function"`
	AgentPath string             `json:"agent_path"`
}

// ViewApproval shows an approval.
func (s *Service) ViewApproval(a *models.Approval) *ApprovalView {
	view := &ApprovalView{
		ID: a.ID, Status: a.Status, Scope: a.Scope, Reason: a.Reason, DecidedBy: optional(a.DecidedBy),
		DecidedByName: a.DecidedByName, UserID: a.UserID,
		ToolCall: ApprovalCall{ID: a.CallID, Type: "function", AgentPath: a.AgentPath,
			Function: tools.FunctionCall{Name: a.Tool, Arguments: a.Arguments}},
		Findings: []guard.Finding{}, Coverages: s.coveragesOf(a), ConversationID: a.ConversationID,
		ProjectID: optional(a.ProjectID),
		RunID:     a.RunID, RootRunID: a.RootRunID, AgentPath: a.AgentPath,
		CreatedAt: a.CreatedAt, DecidedAt: a.DecidedAt, ExpiresAt: a.ExpiresAt,
	}
	if a.Scope == models.ScopeConversation || a.Scope == models.ScopeAlways {
		coverage := StoredCoverage(a.Coverage)
		view.Coverage = &coverage
	}
	if a.EditedArguments != "" {
		view.EditedArguments = s.covered(a.EditedArguments)
	}
	if len(a.Findings) > 0 {
		if err := json.Unmarshal(a.Findings, &view.Findings); err != nil {
			s.Logger.Error("the findings of an approval cannot be read", "approval", a.ID, "error", err)
		}
	}
	return view
}

// severities, the worst first.
var severities = []guard.Severity{guard.Critical, guard.High, guard.Medium, guard.Low, guard.Info}

// worst is the severity of the worst finding; empty: there is none.
func worst(findings []guard.Finding) string {
	for _, severity := range severities {
		for _, finding := range findings {
			if finding.Severity == severity {
				return string(severity)
			}
		}
	}
	return ""
}
