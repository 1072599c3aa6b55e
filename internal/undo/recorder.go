package undo

import (
	"context"
	"io"
	"path"

	"nanoclaw/internal/models"
	"nanoclaw/internal/workspace"
)

var _ workspace.Recorder = (*Service)(nil)

// Recorded implements workspace.Recorder. The files of nobody's run are returned as they are.
func (s *Service) Recorded(actor workspace.Actor, projectID string, files workspace.Filesystem) workspace.Filesystem {
	if actor.RootRunID == "" || projectID == "" {
		return files
	}
	return &recorder{Filesystem: files, scope: &scope{s, actor, projectID, trackedOf(files)}}
}

// recorder is a Filesystem that notes what is changed through it.
type recorder struct {
	workspace.Filesystem
	*scope
}

// Unwrap is the Filesystem itself.
func (r *recorder) Unwrap() workspace.Filesystem { return r.Filesystem }

func (r *recorder) Write(ctx context.Context, name string, data []byte,
	opts workspace.WriteOptions) (written workspace.Written, err error) {
	err = r.around(ctx, true, []string{name}, func() error {
		written, err = r.Filesystem.Write(ctx, name, data, opts)
		return err
	})
	return written, err
}

func (r *recorder) Upload(ctx context.Context, name string, content io.Reader,
	opts workspace.WriteOptions) (written workspace.Written, err error) {
	err = r.around(ctx, true, []string{name}, func() error {
		written, err = r.Filesystem.Upload(ctx, name, content, opts)
		return err
	})
	return written, err
}

func (r *recorder) Append(ctx context.Context, name string, data []byte) (written workspace.Written, err error) {
	err = r.around(ctx, true, []string{name}, func() error {
		written, err = r.Filesystem.Append(ctx, name, data)
		return err
	})
	return written, err
}

func (r *recorder) Edit(ctx context.Context, name string, create bool, change func([]byte) ([]byte,
	error)) (written workspace.Written, err error) {
	err = r.around(ctx, true, []string{name}, func() error {
		written, err = r.Filesystem.Edit(ctx, name, create, change)
		return err
	})
	return written, err
}

func (r *recorder) Mkdir(ctx context.Context, name string) (created bool, err error) {
	err = r.around(ctx, true, []string{name}, func() error {
		created, err = r.Filesystem.Mkdir(ctx, name)
		return err
	})
	return created, err
}

func (r *recorder) Delete(ctx context.Context, name string, opts workspace.DeleteOptions) error {
	return r.around(ctx, false, []string{name}, func() error { return r.Filesystem.Delete(ctx, name, opts) })
}

func (r *recorder) Move(ctx context.Context, from, to string) error {
	return r.around(ctx, false, []string{from, to}, func() error { return r.Filesystem.Move(ctx, from, to) })
}

// around notes what is at the paths and below them, changes it, and notes what is
// there then. Two paths are a move. What cannot be noted is not changed: a run
// that cannot be taken back although it should be is worse than one that fails.
func (r *recorder) around(ctx context.Context, follow bool, names []string, do func() error) error {
	before, err := r.look(ctx, follow, names)
	if err != nil {
		// The change itself is refused for the same reason, or says a better one.
		return do()
	}
	touched, err := r.note(ctx, before, !follow)
	if err != nil {
		return err
	}
	failed := do()
	moved := map[string]string{}
	if len(before) == 2 && failed == nil {
		touched, moved = r.arrived(before, touched)
		if err := r.noteMissing(ctx, touched, moved); err != nil {
			r.Logger.Error("what a run moved could not be noted", "run", r.actor.RootRunID, "error", err)
		}
	}
	// What was done is kept also when the run is being stopped.
	if err := r.settle(context.WithoutCancel(ctx), touched, moved, wholly); err != nil {
		r.Logger.Error("what a run changed could not be noted", "run", r.actor.RootRunID, "error", err)
	}
	return failed
}

func (r *recorder) look(ctx context.Context, follow bool, names []string) ([]workspace.Version, error) {
	var all []workspace.Version
	for _, name := range names {
		v, err := r.files.Look(ctx, name, follow, wholly)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// arrived adds the new paths of what was moved.
func (r *recorder) arrived(before []workspace.Version, touched []string) (all []string, moved map[string]string) {
	from, to := before[0].Path, before[1].Path
	moved = map[string]string{}
	all = touched
	for _, name := range touched {
		if rest, below := under(name, from); below {
			target := path.Join(to, rest)
			moved[target] = name
			if target != to {
				all = append(all, target)
			}
		}
	}
	return all, moved
}

// under says whether a path is a directory or below it, and where.
func under(name, dir string) (rest string, below bool) {
	if name == dir {
		return "", true
	}
	if len(name) > len(dir) && name[:len(dir)] == dir && name[len(dir)] == '/' {
		return name[len(dir)+1:], true
	}
	return "", false
}

// noteMissing notes that there was nothing at the new paths of a move.
func (r *recorder) noteMissing(ctx context.Context, touched []string, moved map[string]string) error {
	var rows []*models.RunChange
	for _, name := range touched {
		if _, arrived := moved[name]; arrived {
			row := r.row(workspace.Version{Path: name})
			row.Kept = true
			rows = append(rows, row)
		}
	}
	return r.Store.NoteChanges(context.WithoutCancel(ctx), rows)
}
