package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/undo"
	"nanoclaw/internal/workspace"
)

// Bounds of the diffs in one answer, in bytes.
const (
	diffContent    = 512 << 10 // a longer file has no diff
	diffAll        = 512 << 10
	diffOneContent = 4 << 20 // where one path is asked for
	diffOne        = 2 << 20
)

// FileChange is what a run changed at one path.
type FileChange = undo.Change

// RevertOutcome is what came of reverting one path.
type RevertOutcome = undo.Outcome

type listChangesInput struct {
	PathID
	Path string `query:"path" doc:"Only this path, with a longer diff."`
}

// FileChanges is all that a run changed in files.
type FileChanges struct {
	List[FileChange]
	Notes []string `json:"notes" doc:"What is not listed, and why."`
}

type revertRunInput struct {
	PathID
	Body *struct {
		Paths  []string `json:"paths,omitempty" maxItems:"10000" doc:"Only these, with what lies below them. Left out: all."`
		DryRun bool     `json:"dry_run,omitempty" doc:"Only say what would come of it."`
	}
}

// RevertOutcomes is what came of reverting a run.
type RevertOutcomes struct {
	List[RevertOutcome]
	DryRun bool `json:"dry_run"`
}

func (s *server) registerChanges() {
	const tag = "Runs"
	handle(s, op("GET", "/runs/{id}/changes", "list-changes", tag, "What a run changed in files, with diffs",
		describe("Changes of sub-agents belong to their root run. What commands changed is found by comparing the "+
			"project before and after them.")), s.listChanges)
	handle(s, op("POST", "/runs/{id}/revert", "revert-run", tag, "Take back what a run changed in files",
		describe("A file that is not as the run left it is a conflict and stays as it is. What is replaced or "+
			"removed goes to the trash. "+
			"409 while the run is at work. Doing it again changes nothing."), status(http.StatusOK)), s.revertRun)
}

// rootOf finds the root run of one of the user's runs.
func (s *server) rootOf(ctx context.Context, id string) (*models.Run, error) {
	run, err := s.Store.Run(ctx, currentUser(ctx), id)
	if err != nil || run.ParentRunID == "" {
		return run, err
	}
	return s.Store.Run(ctx, currentUser(ctx), run.RootRunID)
}

// onBehalfOf is a context in which the files are opened that a run has worked on.
func onBehalfOf(ctx context.Context, run *models.Run) context.Context {
	return workspace.WithAccess(ctx, workspace.Access{UserID: run.UserID, ConversationID: run.ConversationID,
		AgentID: cmp.Or(run.Agent, runs.DefaultAgent), ProjectID: run.ProjectID})
}

func (s *server) listChanges(ctx context.Context, in *listChangesInput) (*struct{ Body FileChanges }, error) {
	root, err := s.rootOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	limits := undo.DiffLimits{Content: diffContent, All: diffAll}
	if in.Path != "" {
		limits = undo.DiffLimits{Content: diffOneContent, All: diffOne}
	}
	changes, err := s.Undo.Changes(onBehalfOf(ctx, root), root.ID, in.Path, limits)
	if err != nil {
		return nil, err
	}
	// The diffs are not redacted: whoever may see the run may read its project.
	return &struct{ Body FileChanges }{FileChanges{List: *wholeList(changes.Items), Notes: changes.Notes}}, nil
}

func (s *server) revertRun(ctx context.Context, in *revertRunInput) (*struct{ Body RevertOutcomes }, error) {
	root, err := s.rootOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if !models.RunEnded(root.Status) {
		return nil, newProblem(http.StatusConflict, "run_active", "the run is at work: wait for its end, or cancel it")
	}
	var paths []string
	dry := false
	if in.Body != nil {
		paths, dry = in.Body.Paths, in.Body.DryRun
	}
	var outcomes []RevertOutcome
	revert := func() (err error) {
		outcomes, err = s.Undo.Revert(onBehalfOf(ctx, root), root.ID, paths, dry, workspace.Actor{UserID: currentUser(ctx)})
		if errors.Is(err, undo.ErrBusy) {
			return newProblem(http.StatusConflict, "conflict", err.Error())
		}
		return err
	}
	if dry {
		err = revert()
	} else {
		change := fileChange{operation: "revert-run", project: root.ProjectID, run: root.ID,
			arguments: map[string]any{"paths": paths}}
		change.result = func() any { return outcomes }
		err = s.audited(ctx, change, revert)
	}
	if err != nil {
		return nil, err
	}
	return &struct{ Body RevertOutcomes }{RevertOutcomes{List: *wholeList(outcomes), DryRun: dry}}, nil
}
