package api

import (
	"context"
	"net/http"

	"nanoclaw/internal/models"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/undo"
)

// Foreseen is what a call that waits for a person would change in files.
type Foreseen struct {
	Change  *FileChange `json:"change" doc:"null: nobody can tell before the call runs."`
	Problem string      `json:"problem,omitempty" doc:"Why the call would fail as things are."`
	Code    string      `json:"code,omitempty" doc:"Of the problem."`
}

func (s *server) registerApprovalChanges() {
	handle(s, op("GET", "/approvals/{id}/change", "get-approval-change", "Approvals",
		"What a waiting call would change in files", describe("Of file_write, file_append and file_edit, with a diff "+
			"against the file as it is now and with the secrets that placeholders stand for: only the owner of the "+
			"conversation sees it. 409 when it is decided.")), s.getApprovalChange)
}

func (s *server) getApprovalChange(ctx context.Context, in *PathID) (*struct{ Body *Foreseen }, error) {
	approval, err := s.Store.GetApproval(ctx, currentUser(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	if approval.Status != models.ApprovalPending {
		problem := newProblem(http.StatusConflict, "conflict", "it is decided: see what the run changed")
		problem.State = approval.Status
		return nil, problem
	}
	view := &Foreseen{}
	change, err := s.Foresee(ctx, approval, undo.DiffLimits{Content: diffOneContent, All: diffOne})
	if code := tools.CodeOf(err); err != nil && code != tools.CodeInternal {
		view.Problem, view.Code, err = err.Error(), code, nil
	}
	view.Change = change
	return &struct{ Body *Foreseen }{view}, err
}
