package undo

import (
	"context"
	"errors"
	"fmt"
	"path"

	"nanoclaw/internal/models"
	"nanoclaw/internal/workspace"
)

// note stores what is at some paths, with deep in directories also what is in
// them, and at parents that are missing, where the run has not touched them
// before. It returns the paths.
func (s *scope) note(ctx context.Context, found []workspace.Version, deep bool) (touched []string, err error) {
	var rows []*models.RunChange
	for _, v := range found {
		below, complete := []workspace.Version{v}, true
		if v.Kind == workspace.TypeDirectory && deep {
			if below, complete, err = s.whole(ctx, v); err != nil {
				return nil, err
			}
		}
		missing, err := s.missingParents(ctx, v)
		if err != nil {
			return nil, err
		}
		for _, v := range append(missing, below...) {
			row, err := s.first(ctx, v)
			if err != nil {
				return nil, err
			}
			touched = append(touched, v.Path)
			if row == nil {
				continue
			}
			if !complete {
				row.Kept, row.Reason = false,
					fmt.Sprintf(
						"the directory holds more than %d entries (workspace.command_files): restore it from the "+
							"trash, or move it back", s.Limits().CommandFiles)
			}
			rows = append(rows, row)
		}
	}
	return touched, s.Store.NoteChanges(ctx, rows)
}

// whole is a directory with what is in it; of one that holds too much itself alone.
func (s *scope) whole(ctx context.Context, dir workspace.Version) (all []workspace.Version, complete bool, err error) {
	below, complete, err := s.files.Survey(ctx, dir.Path, s.Limits().CommandFiles, true)
	if err != nil || !complete {
		return []workspace.Version{dir}, complete, err
	}
	all = []workspace.Version{dir}
	for _, v := range below {
		if v.Kind == workspace.TypeFile {
			looked, err := s.files.Look(ctx, v.Path, false, wholly)
			var own *workspace.Error
			switch {
			case err == nil:
				v = looked
			case !errors.As(err, &own) || own.Code != workspace.CodeAccessDenied:
				return nil, false, err
			}
		}
		all = append(all, v)
	}
	return all, true, nil
}

// missingParents are the directories that a write to a path will make.
func (s *scope) missingParents(ctx context.Context, v workspace.Version) (missing []workspace.Version, err error) {
	if v.Kind != "" {
		return nil, nil
	}
	for dir := path.Dir(v.Path); dir != "."; dir = path.Dir(dir) {
		parent, err := s.files.Look(ctx, dir, false, wholly)
		if err != nil {
			return nil, err
		}
		if parent.Kind != "" {
			break
		}
		missing = append([]workspace.Version{parent}, missing...)
	}
	return missing, nil
}

// first is the row of a path that the run has not touched yet, with its content
// kept; nil where it has. What somebody else changed since shows in the row.
func (s *scope) first(ctx context.Context, v workspace.Version) (*models.RunChange, error) {
	known, err := s.Store.RunChange(ctx, s.actor.RootRunID, s.project, []byte(v.Path))
	if err != nil {
		return nil, err
	}
	if known != nil {
		if known.AfterKnown && !isAs(known, v) && !known.Mixed {
			known.Mixed = true
			return nil, s.Store.SettleChanges(ctx, []*models.RunChange{known})
		}
		return nil, nil
	}
	row := s.row(v)
	return row, s.keep(ctx, row, v)
}

// keep stores the content of what a row is about, or the reason why not.
func (s *scope) keep(ctx context.Context, row *models.RunChange, v workspace.Version) error {
	limits := s.Limits()
	switch {
	case v.Kind == workspace.TypeDirectory:
		row.Kept = true
		return nil
	case v.Kind != workspace.TypeFile:
		row.Kept = v.Kind != workspace.TypeOther
		if !row.Kept {
			row.Reason = "it was no ordinary file"
		}
		return nil
	case v.ETag == "":
		row.Reason = "its content may not be read"
		return nil
	case v.Size > limits.FileBytes:
		row.Reason = fmt.Sprintf(
			"the file had %d bytes, and only files of up to %d are kept (workspace.versions_max_file)", v.Size,
			limits.FileBytes)
		return nil
	}
	kept, err := s.Store.KeptBytes(ctx, s.actor.RootRunID)
	if err != nil {
		return err
	}
	if kept+v.Size > limits.RunBytes {
		row.Reason = fmt.Sprintf(
			"more than %d bytes of older versions would be kept for the run (workspace.versions_max_size)",
			limits.RunBytes)
		return nil
	}
	etag, size, err := s.copyVersion(ctx, v, limits.FileBytes)
	if errors.Is(err, errOverLimit) {
		row.Reason = "the file grew over the limit while it was kept"
		return nil
	}
	if err != nil {
		return err
	}
	row.BeforeETag, row.BeforeSize, row.Kept = etag, size, true
	return nil
}

func (s *scope) copyVersion(ctx context.Context, v workspace.Version,
	limit int64) (etag string, size int64, err error) {
	if s.versions.touch(v.ETag) {
		return v.ETag, v.Size, nil
	}
	content, _, err := s.files.Download(ctx, v.Path)
	if err != nil {
		return "", 0, err
	}
	defer content.Close()
	return s.versions.keep(content, limit)
}

// settle stores what is at the paths now. What may not be looked at stays unknown.
func (s *scope) settle(ctx context.Context, touched []string, moved map[string]string, hash int64) error {
	var rows []*models.RunChange
	for _, name := range touched {
		v, err := s.files.Look(ctx, name, false, hash)
		if err != nil {
			s.Logger.Debug("a path that a run changed may not be looked at", "run", s.actor.RootRunID, "error", err)
			continue
		}
		row := s.row(workspace.Version{Path: name})
		left(row, v)
		if from, ok := moved[name]; ok {
			row.MovedFrom = []byte(from)
		}
		rows = append(rows, row)
	}
	return s.Store.SettleChanges(ctx, rows)
}
