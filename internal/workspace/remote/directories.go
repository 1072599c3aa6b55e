package remote

import (
	"context"
	"path"
	"strings"

	"nanoclaw/internal/workspace"
)

// Mkdir implements workspace.Filesystem.
func (f *Files) Mkdir(ctx context.Context, path string) (created bool, err error) {
	at, err := f.target(path)
	if err != nil {
		return false, err
	}
	err = f.journal.commit(ctx, func(t *tree) ([]op, error) {
		created = false
		found, belowFile := t.find(at.cleaned)
		switch {
		case belowFile:
			return nil, workspace.Errorf(workspace.CodeNotADirectory, path,
				"a name in the path is a file, not a directory")
		case found != nil && found.children == nil:
			return nil, workspace.Errorf(workspace.CodeAlreadyExists, path, "a file is there already")
		case found != nil:
			return nil, nil
		}
		created = true
		return []op{{Kind: opMkdir, Path: []byte(at.cleaned)}}, nil
	})
	return created && err == nil, err
}

// Delete implements workspace.Filesystem. There is no trash.
func (f *Files) Delete(ctx context.Context, name string, opts workspace.DeleteOptions) error {
	cleaned, err := f.clean(name)
	if err != nil {
		return err
	}
	if cleaned == "." {
		return workspace.Errorf(workspace.CodeAccessDenied, name, "the project's root cannot be deleted")
	}
	return f.journal.commit(ctx, func(t *tree) ([]op, error) {
		found, err := t.look(name, cleaned)
		if err != nil {
			return nil, err
		}
		if found.children != nil && !opts.Recursive {
			return nil, workspace.Errorf(workspace.CodeNotAFile, name,
				"it is a directory: pass recursive to delete it with everything in it")
		}
		if found.children == nil {
			if err := expect(found, name, workspace.WriteOptions{IfMatch: opts.IfMatch}); err != nil {
				return nil, err
			}
		}
		if err := f.permitBelow(found, name, cleaned, cleaned); err != nil {
			return nil, err
		}
		return []op{{Kind: opRemove, Path: []byte(cleaned)}}, nil
	})
}

// RemoveEmptyDir removes a directory that holds nothing; one that holds something is
// already_exists.
func (f *Files) RemoveEmptyDir(ctx context.Context, name string) error {
	cleaned, err := f.clean(name)
	if err != nil {
		return err
	}
	return f.journal.commit(ctx, func(t *tree) ([]op, error) {
		found, err := t.look(name, cleaned)
		switch {
		case err != nil:
			return nil, err
		case found.children == nil || cleaned == ".":
			return nil, workspace.Errorf(workspace.CodeNotADirectory, name, "it is not a directory")
		case len(found.children) > 0:
			return nil, workspace.Errorf(workspace.CodeAlreadyExists, name, "the directory is not empty")
		}
		return []op{{Kind: opRemove, Path: []byte(cleaned)}}, nil
	})
}

// permitBelow refuses to delete or move what holds a denied name, here or at its new place.
func (f *Files) permitBelow(n *node, name, from, to string) (err error) {
	limits := f.limits()
	if len(limits.DeniedNames) == 0 {
		return nil
	}
	n.walk("", func(below string, _ *node) {
		if err == nil {
			err = limits.Permit(name, path.Join(from, below))
		}
		if err == nil && to != from {
			err = limits.Permit(name, path.Join(to, below))
		}
	})
	return err
}

// Move implements workspace.Filesystem. It is one message, whatever a directory holds.
func (f *Files) Move(ctx context.Context, from, to string) error {
	source, err := f.clean(from)
	if err != nil {
		return err
	}
	if source == "." {
		return workspace.Errorf(workspace.CodeInvalidArgument, from, "the project's root cannot be moved")
	}
	at, err := f.target(to)
	if err != nil {
		return err
	}
	return f.journal.commit(ctx, func(t *tree) ([]op, error) {
		found, err := t.look(from, source)
		if err != nil {
			return nil, err
		}
		if found.children != nil && strings.HasPrefix(at.cleaned, source+"/") {
			return nil, workspace.Errorf(workspace.CodeInvalidArgument, to, "a directory cannot be moved into itself")
		}
		if err := free(t, at); err != nil {
			return nil, err
		}
		if err := f.permitBelow(found, from, source, at.cleaned); err != nil {
			return nil, err
		}
		return []op{{Kind: opMove, Path: []byte(source), To: []byte(at.cleaned)}}, nil
	})
}
