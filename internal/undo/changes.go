package undo

import (
	"bytes"
	"context"
	"io"
	"unicode/utf8"

	"nanoclaw/internal/models"
	"nanoclaw/internal/workspace"
)

// Kinds of changes.
const (
	KindCreated  = "created"
	KindModified = "modified"
	KindDeleted  = "deleted"
	KindMoved    = "moved"
)

// Change is what a run did at one path.
type Change struct {
	ProjectID   string              `json:"project_id"`
	Path        string              `json:"path"`
	Kind        string              `json:"kind" enum:"created,modified,deleted,moved"`
	Type        workspace.EntryType `json:"type" enum:"file,directory,symlink,other" doc:"Of what is there now; of a deletion, of what was there."`
	From        string              `json:"from,omitempty" doc:"Of a move: the path before."`
	SizeBefore  int64               `json:"size_before"`
	SizeAfter   int64               `json:"size_after"`
	Revertible  bool                `json:"revertible"`
	Reason      string              `json:"reason,omitempty" doc:"Why it cannot be reverted, or not at once."`
	Diff        string              `json:"diff,omitempty" doc:"Of a text, in the unified format."`
	DiffOmitted string              `json:"diff_omitted,omitempty" doc:"Why there is no diff."`
}

// Changes is all that a run changed.
type Changes struct {
	Items []Change
	Notes []string // what is not listed, and why
}

// DiffLimits bound the diffs of one answer, in bytes.
type DiffLimits struct {
	Content int64 // a longer file has no diff
	All     int   // diffs together
}

// Changes lists what a root run changed, by project and path; path, where it is not
// empty, is the only one wanted.
func (s *Service) Changes(ctx context.Context, rootRunID, path string, limits DiffLimits) (*Changes, error) {
	rows, err := s.Store.RunChanges(ctx, rootRunID)
	if err != nil {
		return nil, err
	}
	out := &Changes{Items: []Change{}, Notes: []string{}}
	gone := s.movedAway(rows)
	for _, row := range rows {
		if len(row.Path) == 0 {
			out.Notes = append(out.Notes, row.Reason)
			continue
		}
		if isNoChange(row) || gone[row.ProjectID+"\x00"+string(row.Path)] || path != "" && string(row.Path) != path {
			continue
		}
		change := s.change(row, rows)
		if limits.All > 0 {
			s.addDiff(ctx, &change, row, rows, limits)
			limits.All -= len(change.Diff)
		} else if change.Type == workspace.TypeFile {
			change.DiffOmitted = "the diffs before fill the answer: ask for this path alone"
		}
		out.Items = append(out.Items, change)
	}
	cutOff, err := s.Store.CutOffTools(ctx, rootRunID)
	if err != nil {
		return nil, err
	}
	for _, tool := range cutOff {
		out.Notes = append(out.Notes, "a call of "+tool+
			" was under way when the server stopped: what that call changed is not listed")
	}
	return out, nil
}

// movedAway are the paths that a move of the list tells of already.
func (s *Service) movedAway(rows []*models.RunChange) map[string]bool {
	gone := map[string]bool{}
	for _, row := range rows {
		if row.MovedFrom != nil && row.BeforeKind == "" && row.AfterKind != "" {
			gone[row.ProjectID+"\x00"+string(row.MovedFrom)] = true
		}
	}
	for _, row := range rows {
		if key := row.ProjectID + "\x00" + string(row.Path); gone[key] && (row.AfterKind != "" || s.obstacle(row,
			rows) != "") {
			delete(gone, key) // something else is there now, or it cannot be moved back
		}
	}
	return gone
}

// isNoChange says whether a run left a path as it had found it.
func isNoChange(row *models.RunChange) bool {
	return row.AfterKnown && row.BeforeKind == row.AfterKind && row.BeforeLink == row.AfterLink &&
		(row.BeforeKind != string(workspace.TypeFile) || row.BeforeETag != "" && row.BeforeETag == row.AfterETag)
}

func (s *Service) change(row *models.RunChange, rows []*models.RunChange) Change {
	c := Change{
		ProjectID: row.ProjectID, Path: string(row.Path), Kind: KindModified, Type: workspace.EntryType(row.AfterKind),
		SizeBefore: row.BeforeSize, SizeAfter: row.AfterSize,
	}
	switch {
	case row.BeforeKind == "" && row.MovedFrom != nil && row.AfterKind != "":
		c.Kind, c.From = KindMoved, string(row.MovedFrom)
	case row.BeforeKind == "":
		c.Kind = KindCreated
	case row.AfterKnown && row.AfterKind == "":
		c.Kind, c.Type = KindDeleted, workspace.EntryType(row.BeforeKind)
	}
	c.Reason = s.obstacle(row, rows)
	c.Revertible = c.Reason == ""
	return c
}

// obstacle says why a change cannot be reverted; empty: it can.
func (s *Service) obstacle(row *models.RunChange, rows []*models.RunChange) string {
	switch {
	case row.Mixed:
		return "it was changed by others while the run was at work"
	case !row.AfterKnown:
		return "it is not known what the run left: the call that changed it did not end"
	case row.BeforeKind != string(workspace.TypeFile):
		if !row.Kept {
			return row.Reason
		}
		return ""
	case row.Kept && s.versions.has(row.BeforeETag), elsewhere(row, rows) != nil:
		return ""
	case row.Kept:
		return "the version that was kept is gone"
	}
	return row.Reason
}

// elsewhere is a path to which the run moved or copied what was at the row's path.
func elsewhere(row *models.RunChange, rows []*models.RunChange) *models.RunChange {
	for _, other := range rows {
		if row.BeforeETag != "" && other != row && other.ProjectID == row.ProjectID && other.AfterKnown &&
			!other.Mixed && other.AfterETag == row.BeforeETag {
			return other
		}
	}
	return nil
}

// addDiff compares what was kept with what is there, where that is still what the
// run left.
func (s *Service) addDiff(ctx context.Context, c *Change, row *models.RunChange, rows []*models.RunChange,
	limits DiffLimits) {
	file := string(workspace.TypeFile)
	if row.BeforeKind != file && row.AfterKind != file || c.Kind == KindMoved && c.Type != workspace.TypeFile {
		return
	}
	before, after, why := s.contents(ctx, row, c.From, rows, limits.Content)
	switch {
	case why != "":
		c.DiffOmitted = why
		return
	case !isText(before) || !isText(after):
		c.DiffOmitted = "it is not text"
		return
	}
	from, to := "a/"+c.Path, "b/"+c.Path
	switch c.Kind {
	case KindCreated:
		from = "/dev/null"
	case KindDeleted:
		to = "/dev/null"
	case KindMoved:
		from = "a/" + c.From
	}
	c.limit(Unified(from, to, before, after), limits.All)
}

func cutLines(text string, limit int) string {
	end := bytes.LastIndexByte([]byte(text[:limit]), '\n') + 1
	for end > 0 && !utf8.ValidString(text[:end]) {
		end--
	}
	return text[:end]
}

// contents are both sides of a diff; of a move the one side is what was at the
// path before.
func (s *Service) contents(ctx context.Context, row *models.RunChange, from string, rows []*models.RunChange,
	limit int64) (before, after []byte, why string) {
	first := row
	for _, other := range rows {
		if from != "" && other.ProjectID == row.ProjectID && string(other.Path) == from {
			first = other
		}
	}
	if row.AfterKind == string(workspace.TypeFile) {
		if after, why = s.present(ctx, row, limit); why != "" {
			return nil, nil, why
		}
	}
	if first.BeforeKind != string(workspace.TypeFile) {
		return nil, after, ""
	}
	switch {
	case first.BeforeSize > limit:
		return nil, nil, "it is too long"
	case first.BeforeETag != "" && first.BeforeETag == row.AfterETag:
		return after, after, ""
	}
	f, err := s.versions.open(first.BeforeETag)
	if err != nil {
		return nil, nil, "what was there before is not kept"
	}
	defer f.Close()
	if before, err = io.ReadAll(io.LimitReader(f, limit)); err != nil {
		return nil, nil, "what was there before cannot be read"
	}
	return before, after, ""
}

// present is the content of what a run left, while it is still there.
func (s *Service) present(ctx context.Context, row *models.RunChange, limit int64) (content []byte, why string) {
	if row.AfterSize > limit {
		return nil, "it is too long"
	}
	sc, err := s.scopeOf(ctx, row, workspace.Actor{})
	if err != nil {
		return nil, "the project's files cannot be read"
	}
	if now, err := sc.files.Look(ctx, string(row.Path), false, limit); err != nil || !isAs(row, now) {
		return nil, "it was changed since"
	}
	read, err := sc.files.Read(ctx, string(row.Path), 0, limit)
	if err != nil || read.Size != row.AfterSize {
		return nil, "it was changed since"
	}
	return read.Data, ""
}

// scopeOf opens the project of a row.
func (s *Service) scopeOf(ctx context.Context, row *models.RunChange, actor workspace.Actor) (*scope, error) {
	files, err := s.Projects.Open(ctx, row.ProjectID)
	if err != nil {
		return nil, err
	}
	return &scope{s, actor, row.ProjectID, trackedOf(files)}, nil
}
