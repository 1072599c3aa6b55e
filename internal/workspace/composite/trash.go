package composite

import (
	"context"

	"nanoclaw/internal/workspace"
)

var _ workspace.Trashed = (*Files)(nil)

// trashed is the root's trash: shared files have none.
func (f *Files) trashed() (workspace.Trashed, error) {
	if trashed, ok := f.root.(workspace.Trashed); ok {
		return trashed, nil
	}
	return nil, workspace.Errorf(workspace.CodeNotFound, "", "these files have no trash")
}

// Trash implements workspace.Trashed.
func (f *Files) Trash(ctx context.Context, after string, limit int) (workspace.TrashPage, error) {
	trashed, err := f.trashed()
	if err != nil {
		return workspace.TrashPage{Items: []workspace.TrashItem{}}, nil
	}
	return trashed.Trash(ctx, after, limit)
}

// Restore implements workspace.Trashed. Nothing is restored to a shared place.
func (f *Files) Restore(ctx context.Context, id, to string) (workspace.Entry, error) {
	trashed, err := f.trashed()
	if err != nil {
		return workspace.Entry{}, err
	}
	if to != "" {
		cleaned, err := f.clean(to)
		if err != nil {
			return workspace.Entry{}, err
		}
		if f.routeOf(cleaned) != nil || len(f.below(cleaned)) > 0 {
			return workspace.Entry{}, workspace.Errorf(workspace.CodeInvalidArgument, to,
				"shared files have this place: restore to another one and move it")
		}
	}
	return trashed.Restore(ctx, id, to)
}

// Purge implements workspace.Trashed.
func (f *Files) Purge(ctx context.Context, id string) error {
	trashed, err := f.trashed()
	if err != nil {
		return err
	}
	return trashed.Purge(ctx, id)
}
