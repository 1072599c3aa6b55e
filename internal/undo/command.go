package undo

import (
	"context"
	"fmt"

	"nanoclaw/internal/models"
	"nanoclaw/internal/workspace"
)

// Command looks at a project before a command of a run and keeps its small files.
// The function that it returns is called behind the command and notes what is
// another then. What cannot be looked at is a note in the run's changes, never an
// error: the command runs all the same.
func (s *Service) Command(ctx context.Context, actor workspace.Actor, projectID string) (done func(context.Context)) {
	nothing := func(context.Context) {}
	limits := s.Limits()
	if actor.RootRunID == "" || projectID == "" || limits.CommandFiles == 0 {
		return nothing
	}
	files, err := s.Projects.Open(ctx, projectID)
	if err != nil {
		return nothing // the command will say so
	}
	local, ok := files.(tracked)
	if !ok {
		return nothing // no command runs beside them
	}
	sc := &scope{s, actor, projectID, local}
	before, complete, err := sc.files.Survey(ctx, ".", limits.CommandFiles, false)
	switch {
	case err != nil:
		sc.remark(ctx, "the project could not be looked at before a command: what commands changed is not listed")
		return nothing
	case !complete:
		sc.remark(ctx,
			fmt.Sprintf(
				"the project has more than %d entries (workspace.command_files): what commands changed is not listed",
				limits.CommandFiles))
		return nothing
	}
	b := &baseline{scope: sc, entries: make(map[string]workspace.Version, len(before)), kept: map[string]bool{}}
	b.keepSmall(ctx, before, limits.CommandBytes, limits.FileBytes)
	return b.compare
}

// remark stores a note for people, once per run and project.
func (s *scope) remark(ctx context.Context, text string) {
	row := s.row(workspace.Version{})
	row.Path, row.Reason = []byte{}, text
	if err := s.Store.NoteChanges(context.WithoutCancel(ctx), []*models.RunChange{row}); err != nil {
		s.Logger.Error("a note on a run's changes could not be stored", "run", s.actor.RootRunID, "error", err)
	}
}

// baseline is a project before a command.
type baseline struct {
	*scope
	entries map[string]workspace.Version
	kept    map[string]bool
}

// keepSmall keeps contents, in the order of paths, until the limit is reached.
func (b *baseline) keepSmall(ctx context.Context, before []workspace.Version, limit, fileLimit int64) {
	for _, v := range before {
		if hash := b.knownHash(b.project, v); hash != "" && v.Size <= limit && b.versions.touch(hash) {
			v.ETag, limit = hash, limit-v.Size
			b.kept[v.Path] = true
		} else if v.Kind == workspace.TypeFile && v.Size <= fileLimit && v.Size <= limit {
			if looked, err := b.files.Look(ctx, v.Path, false, fileLimit); err == nil && looked.Stamp == v.Stamp &&
				looked.ETag != "" {
				if etag, size, err := b.copyVersion(ctx, looked, fileLimit); err == nil && etag == looked.ETag {
					v, limit = looked, limit-size
					b.kept[v.Path] = true
					b.rememberHash(b.project, v)
				}
			}
		}
		b.entries[v.Path] = v
	}
}

// compare notes what is another than before the command.
func (b *baseline) compare(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	after, complete, err := b.files.Survey(ctx, ".", 2*b.Limits().CommandFiles+len(b.entries), false)
	if err == nil && !complete {
		b.remark(ctx, "a command made so many files that not all of its changes are listed")
	}
	if err == nil {
		err = b.noteCommand(ctx, after, complete)
	}
	if err != nil {
		b.Logger.Error("what a command changed could not be noted", "run", b.actor.RootRunID, "error", err)
		b.remark(ctx, "what a command changed could not be noted")
	}
}

func (b *baseline) noteCommand(ctx context.Context, after []workspace.Version, complete bool) error {
	var rows []*models.RunChange
	var touched []string
	changed := func(was, is workspace.Version) error {
		touched = append(touched, is.Path)
		row, err := b.commandRow(ctx, was)
		if row != nil {
			rows = append(rows, row)
		}
		return err
	}
	seen := make(map[string]bool, len(after))
	for _, is := range after {
		seen[is.Path] = true
		was, there := b.entries[is.Path]
		if !there {
			was = workspace.Version{Path: is.Path}
		}
		if there && was.Kind == is.Kind && was.Link == is.Link && was.Stamp == is.Stamp {
			continue
		}
		if err := changed(was, is); err != nil {
			return err
		}
	}
	for path, was := range b.entries {
		if complete && !seen[path] {
			if err := changed(was, workspace.Version{Path: path}); err != nil {
				return err
			}
		}
	}
	if err := b.Store.NoteChanges(ctx, rows); err != nil {
		return err
	}
	return b.settle(ctx, touched, nil, b.Limits().FileBytes)
}

// commandRow is the row of a path that a command changed; nil where the run has
// touched it before.
func (b *baseline) commandRow(ctx context.Context, was workspace.Version) (*models.RunChange, error) {
	known, err := b.Store.RunChange(ctx, b.actor.RootRunID, b.project, []byte(was.Path))
	if err != nil {
		return nil, err
	}
	if known != nil {
		// Another call of the run may have changed it at the same time: what that left
		// is what is there, or was.
		if known.AfterKnown && !known.Mixed && !isAs(known, was) {
			now, err := b.files.Look(ctx, was.Path, false, b.Limits().FileBytes)
			if err != nil || isAs(known, now) {
				return nil, err
			}
			known.Mixed = true
			return nil, b.Store.SettleChanges(ctx, []*models.RunChange{known})
		}
		return nil, nil
	}
	row := b.row(was)
	switch was.Kind {
	case workspace.TypeFile:
		row.Kept = b.kept[was.Path]
		if !row.Kept {
			limits := b.Limits()
			row.Reason = fmt.Sprintf(
				"a command changed it, and of files before a command only %d bytes are kept, of each at most %d "+
					"(workspace.command_versions, versions_max_file)",
				limits.CommandBytes, limits.FileBytes)
		}
	case workspace.TypeOther:
		row.Reason = "it was no ordinary file"
	default:
		row.Kept = true
	}
	return row, nil
}
