package undo

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"nanoclaw/internal/models"
	"nanoclaw/internal/workspace"
)

// Outcomes of reverting one path.
const (
	Reverted      = "reverted"
	Unchanged     = "unchanged"      // it is as it was before the run
	Conflict      = "conflict"       // it is not as the run left it, so it was left alone
	NotRevertible = "not_revertible" // what was there before is not kept
	Failed        = "failed"
)

// Outcome is what came of one path.
type Outcome struct {
	ProjectID string `json:"project_id"`
	Path      string `json:"path"`
	Outcome   string `json:"outcome" enum:"reverted,unchanged,conflict,not_revertible,failed"`
	Reason    string `json:"reason,omitempty"`
}

// ErrBusy says that the run is being reverted by another request.
var ErrBusy = errors.New("the run is being reverted by another request")

// Revert takes back what a root run changed, at all paths or at those that are
// named with what lies below them. What is not as the run left it is left alone.
// What is replaced or removed goes to the trash. With dry nothing is changed, and
// the outcomes are what would come of it. The run must have ended.
func (s *Service) Revert(ctx context.Context, rootRunID string, paths []string, dry bool,
	actor workspace.Actor) ([]Outcome, error) {
	s.mu.Lock()
	busy := s.reverting[rootRunID]
	s.reverting[rootRunID] = true
	s.mu.Unlock()
	if busy {
		return nil, ErrBusy
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.reverting, rootRunID)
	}()
	rows, err := s.Store.RunChanges(ctx, rootRunID)
	if err != nil {
		return nil, err
	}
	r := &reversal{Service: s, rows: rows, scopes: map[string]*scope{}, actor: actor}
	r.choose(ctx, selected(rows, paths))
	if !dry {
		r.run(ctx)
	}
	outcomes := []Outcome{}
	for _, step := range r.steps {
		if step.outcome.Outcome == "" {
			step.outcome.Outcome = Reverted
		}
		outcomes = append(outcomes, step.outcome)
	}
	return append(outcomes, unknownPaths(rows, paths)...), ctx.Err()
}

// selected are the rows of the paths, of what lies below them, and of where what
// was moved to them came from.
func selected(rows []*models.RunChange, paths []string) []*models.RunChange {
	wanted := map[*models.RunChange]bool{}
	from := map[string]bool{}
	for _, row := range rows {
		for _, path := range paths {
			if _, below := under(string(row.Path), strings.TrimSuffix(path, "/")); below {
				wanted[row] = true
				from[string(row.MovedFrom)] = row.MovedFrom != nil
			}
		}
	}
	var out []*models.RunChange
	for _, row := range rows {
		if len(row.Path) > 0 && !isNoChange(row) && (len(paths) == 0 || wanted[row] || from[string(row.Path)]) {
			out = append(out, row)
		}
	}
	return out
}

func unknownPaths(rows []*models.RunChange, paths []string) (out []Outcome) {
	for _, path := range paths {
		known := slices.ContainsFunc(rows, func(row *models.RunChange) bool {
			_, below := under(string(row.Path), strings.TrimSuffix(path, "/"))
			return below
		})
		if !known {
			out = append(out, Outcome{Path: path, Outcome: Unchanged, Reason: "the run did not change it"})
		}
	}
	return out
}

// reversal is one request at work.
type reversal struct {
	*Service
	rows   []*models.RunChange
	scopes map[string]*scope
	actor  workspace.Actor
	steps  []*step
}

// step is one path to be reverted. Without an outcome there is still something to do.
type step struct {
	row     *models.RunChange
	scope   *scope
	now     workspace.Version
	outcome Outcome
}

func (t *step) end(outcome, reason string) { t.outcome.Outcome, t.outcome.Reason = outcome, reason }

func (t *step) open() bool { return t.outcome.Outcome == "" }

// choose compares each path with what the run left there.
func (r *reversal) choose(ctx context.Context, rows []*models.RunChange) {
	for _, row := range rows {
		t := &step{row: row, outcome: Outcome{ProjectID: row.ProjectID, Path: string(row.Path)}}
		r.steps = append(r.steps, t)
		t.scope = r.scopes[row.ProjectID]
		var err error
		if t.scope == nil {
			if t.scope, err = r.scopeOf(ctx, row, r.actor); err != nil {
				t.end(Failed, err.Error())
				continue
			}
			r.scopes[row.ProjectID] = t.scope
		}
		t.judge(ctx, r.obstacle(row, r.rows))
	}
}

// judge says what is to be done about a path as it is now.
func (t *step) judge(ctx context.Context, obstacle string) {
	var err error
	t.now, err = t.scope.files.Look(ctx, string(t.row.Path), false, max(t.row.AfterSize, t.row.BeforeSize))
	switch {
	case err != nil:
		t.end(Failed, err.Error())
	case wasAs(t.row, t.now):
		t.end(Unchanged, "")
	case !isAs(t.row, t.now) && t.row.AfterKnown:
		t.end(Conflict, "it was changed after the run: it was left alone")
	case t.row.Mixed:
		t.end(Conflict, obstacle)
	case obstacle != "":
		t.end(NotRevertible, obstacle)
	}
}

// run does the work in an order in which nothing is in the way of anything: what
// the run made goes first, except where it holds what has to be restored.
func (r *reversal) run(ctx context.Context) {
	sources := r.sources()
	all := func(*step) bool { return true }
	r.remove(ctx, false, func(t *step) bool { return !sources[string(t.row.Path)] })
	r.remove(ctx, true, func(t *step) bool { return t.row.BeforeKind != "" }) // something else belongs there
	r.each(ctx, false, func(t *step) error { return r.restore(ctx, t) })
	r.remove(ctx, false, all)
	r.remove(ctx, true, all)
	for _, t := range r.steps {
		if t.open() && ctx.Err() != nil {
			t.end(Failed, "the request ended before")
		}
	}
}

// sources are the paths of files that hold what another one has to become again.
func (r *reversal) sources() map[string]bool {
	paths := map[string]bool{}
	for _, t := range r.steps {
		if !t.open() || t.row.BeforeKind != "file" || r.versions.has(t.row.BeforeETag) {
			continue
		}
		if other := elsewhere(t.row, r.rows); other != nil {
			paths[string(other.Path)] = true
		}
	}
	return paths
}

// each does something for every step that is open: the deepest paths first, or last.
func (r *reversal) each(ctx context.Context, deepestFirst bool, do func(*step) error) {
	order := -1
	if deepestFirst {
		order = 1
	}
	steps := slices.Clone(r.steps)
	slices.SortStableFunc(steps, func(a, b *step) int {
		return order * cmp.Compare(strings.Count(string(b.row.Path), "/"), strings.Count(string(a.row.Path), "/"))
	})
	for _, t := range steps {
		if !t.open() || ctx.Err() != nil {
			continue
		}
		if err := do(t); err != nil {
			t.fail(err)
		}
	}
}

// remove removes the wanted files, or the wanted directories.
func (r *reversal) remove(ctx context.Context, dirs bool, wanted func(*step) bool) {
	r.each(ctx, true, func(t *step) error {
		if t.now.Kind == "" || (t.now.Kind == workspace.TypeDirectory) != dirs || t.inPlace() || !wanted(t) {
			return nil
		}
		return t.remove(ctx)
	})
}

func (t *step) fail(err error) {
	var own *workspace.Error
	if errors.As(err, &own) && (own.Code == workspace.CodePreconditionFailed ||
		own.Code == workspace.CodeAlreadyExists) {
		t.end(Conflict, "it was changed after the run: "+own.Message)
		return
	}
	t.end(Failed, err.Error())
}

// inPlace says whether what is there is overwritten rather than removed.
func (t *step) inPlace() bool {
	return t.row.BeforeKind == string(workspace.TypeFile) && t.now.Kind == workspace.TypeFile
}

// remove puts what the run made into the trash; a directory goes when it is empty.
func (t *step) remove(ctx context.Context) error {
	if t.now.Kind == workspace.TypeDirectory {
		err := t.scope.files.RemoveEmptyDir(ctx, string(t.row.Path))
		var own *workspace.Error
		if errors.As(err, &own) && own.Code == workspace.CodeAlreadyExists {
			t.end(Conflict, "the directory holds files that the run did not make, or that were changed since")
			return nil
		}
		if err == nil {
			t.now = workspace.Version{Path: t.now.Path}
		}
		return err
	}
	opts := workspace.DeleteOptions{Actor: t.scope.actor}
	if t.now.Kind == workspace.TypeFile {
		opts.IfMatch = t.now.ETag
	}
	if err := t.scope.files.Delete(ctx, string(t.row.Path), opts); err != nil {
		return err
	}
	t.now = workspace.Version{Path: t.now.Path}
	return nil
}

// restore puts back what was there before the run.
func (r *reversal) restore(ctx context.Context, t *step) error {
	path := string(t.row.Path)
	switch workspace.EntryType(t.row.BeforeKind) {
	case workspace.TypeDirectory:
		_, err := t.scope.files.Mkdir(ctx, path)
		t.done(err)
		return err
	case workspace.TypeSymlink:
		err := t.scope.files.PutLink(ctx, path, t.row.BeforeLink)
		t.done(err)
		return err
	case workspace.TypeFile:
		err := r.restoreFile(ctx, t, path)
		t.done(err)
		return err
	}
	return nil
}

// done ends a step that has nothing more to do.
func (t *step) done(err error) {
	if err == nil {
		t.end(Reverted, "")
	}
}

func (r *reversal) restoreFile(ctx context.Context, t *step, path string) error {
	content, err := r.content(ctx, t)
	if err != nil {
		return err
	}
	defer content.Close()
	opts := workspace.WriteOptions{IfNoneMatch: true, Mode: t.row.BeforeMode}
	kept := ""
	if t.now.Kind == workspace.TypeFile {
		if kept, err = t.scope.files.KeepCopy(ctx, path, t.scope.actor); err != nil {
			return err
		}
		opts.IfNoneMatch, opts.IfMatch = false, t.now.ETag
	}
	_, err = t.scope.files.Upload(ctx, path, content, opts)
	if trashed, ok := t.scope.files.(workspace.Trashed); ok && err != nil && kept != "" {
		err = errors.Join(err, trashed.Purge(context.WithoutCancel(ctx), kept))
	}
	return err
}

// content is what was at a path before the run: kept, or where the run moved it to.
func (r *reversal) content(ctx context.Context, t *step) (io.ReadCloser, error) {
	if f, err := r.versions.open(t.row.BeforeETag); err == nil {
		return f, nil
	}
	other := elsewhere(t.row, r.rows)
	if other == nil {
		return nil, errors.New("the version that was kept is gone")
	}
	content, entry, err := t.scope.files.Download(ctx, string(other.Path))
	if err != nil {
		return nil, err
	}
	if entry.ETag != t.row.BeforeETag {
		content.Close()
		return nil, workspace.Errorf(workspace.CodePreconditionFailed, string(other.Path),
			"it was changed after the run moved it there")
	}
	return content, nil
}
