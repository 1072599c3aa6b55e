// Package layered shows two file systems as one: a store above a project's disk (WS7).
//
// Reads look into the upper one first and then into the lower one; listings merge
// both. Writes go to the upper one, so the lower one is never changed. Deleting in the
// upper one shows the lower one again; where there is a place for tombstones, a delete
// leaves one there, which hides what the lower one has.
package layered

import (
	"context"
	"io"
	"path"

	"nanoclaw/internal/workspace"
)

// Files are two layers.
type Files struct {
	upper, lower workspace.Filesystem
	// hidden has a file wherever the lower layer is not shown; nil: it is always shown.
	hidden workspace.Filesystem
	limits func() workspace.Limits
}

var _ workspace.Filesystem = (*Files)(nil)

// New lays upper over lower. hidden is a file system of its own for tombstones; nil:
// what only the lower one has cannot be deleted. limits are those of both; nil: none.
func New(upper, lower, hidden workspace.Filesystem, limits func() workspace.Limits) *Files {
	if limits == nil {
		limits = func() workspace.Limits { return workspace.Limits{} }
	}
	return &Files{upper: upper, lower: lower, hidden: hidden, limits: limits}
}

// layer finds the file system that shows a path.
func (f *Files) layer(ctx context.Context, name string) (workspace.Filesystem, workspace.Entry, error) {
	entry, err := f.upper.Stat(ctx, name)
	if !workspace.IsCode(err, workspace.CodeNotFound) {
		return f.upper, entry, err
	}
	hidden, failed := f.isHidden(ctx, name)
	switch {
	case failed != nil:
		return nil, entry, failed
	case hidden:
		return nil, entry, err
	}
	entry, err = f.lower.Stat(ctx, name)
	return f.lower, entry, err
}

// Holder is the layer that shows a path; the upper one where none does.
func (f *Files) Holder(ctx context.Context, name string) workspace.Filesystem {
	if layer, _, err := f.layer(ctx, name); err == nil {
		return layer
	}
	return f.upper
}

// isHidden says whether a tombstone is at a path or above it.
func (f *Files) isHidden(ctx context.Context, name string) (bool, error) {
	if f.hidden == nil {
		return false, nil
	}
	entry, err := f.hidden.Stat(ctx, name)
	switch {
	case workspace.IsCode(err, workspace.CodeNotADirectory):
		return true, nil // below one
	case workspace.IsCode(err, workspace.CodeNotFound):
		return false, nil
	}
	return err == nil && entry.Type == workspace.TypeFile, err
}

// showsLower says whether the lower layer has something to show at a path.
func (f *Files) showsLower(ctx context.Context, name string) (bool, error) {
	if hidden, err := f.isHidden(ctx, name); hidden || err != nil {
		return false, err
	}
	return f.lower.Exists(ctx, name)
}

// Entry implements workspace.Tree.
func (f *Files) Entry(ctx context.Context, cleaned string) (workspace.Entry, error) {
	_, entry, err := f.layer(ctx, cleaned)
	return entry, err
}

// Children implements workspace.Tree.
func (f *Files) Children(ctx context.Context, dir string) ([]workspace.Entry, error) {
	above, err := missingIsEmpty(workspace.ChildrenOf(ctx, f.upper, dir))
	if err != nil {
		return nil, err
	}
	hidden, err := f.isHidden(ctx, dir)
	if hidden || err != nil {
		return above, err
	}
	skip := map[string]bool{}
	for _, entry := range above {
		skip[entry.Name] = true
	}
	if f.hidden != nil {
		tombstones, err := missingIsEmpty(workspace.ChildrenOf(ctx, f.hidden, dir))
		if err != nil {
			return nil, err
		}
		for _, entry := range tombstones {
			skip[entry.Name] = skip[entry.Name] || entry.Type == workspace.TypeFile
		}
	}
	below, err := missingIsEmpty(workspace.ChildrenOf(ctx, f.lower, dir))
	for _, entry := range below {
		if !skip[entry.Name] {
			above = append(above, entry)
		}
	}
	return above, err
}

func missingIsEmpty(entries []workspace.Entry, err error) ([]workspace.Entry, error) {
	if workspace.IsCode(err, workspace.CodeNotFound) || workspace.IsCode(err, workspace.CodeNotADirectory) {
		return nil, nil
	}
	return entries, err
}

// Content implements workspace.Tree.
func (f *Files) Content(ctx context.Context, file workspace.Entry) (io.ReadCloser, error) {
	layer, _, err := f.layer(ctx, file.Path)
	if err != nil {
		return nil, err
	}
	return workspace.ContentOf(ctx, layer, file)
}

func (f *Files) search() workspace.Search { return workspace.Search{Tree: f, Limits: f.limits()} }

// List implements workspace.Filesystem.
func (f *Files) List(ctx context.Context, name string, opts workspace.ListOptions) (workspace.Listing, error) {
	return f.search().List(ctx, name, opts)
}

// Glob implements workspace.Filesystem.
func (f *Files) Glob(ctx context.Context, pattern string, opts workspace.GlobOptions) (workspace.Listing, error) {
	return f.search().Glob(ctx, pattern, opts)
}

// Grep implements workspace.Filesystem.
func (f *Files) Grep(ctx context.Context, opts workspace.GrepOptions) (workspace.GrepResult, error) {
	return f.search().Grep(ctx, opts)
}

// Stat implements workspace.Filesystem.
func (f *Files) Stat(ctx context.Context, name string) (workspace.Entry, error) {
	_, entry, err := f.layer(ctx, name)
	return entry, err
}

// Exists implements workspace.Filesystem.
func (f *Files) Exists(ctx context.Context, name string) (bool, error) {
	_, _, err := f.layer(ctx, name)
	if workspace.IsCode(err, workspace.CodeNotFound) || workspace.IsCode(err, workspace.CodeNotADirectory) {
		return false, nil
	}
	return err == nil, err
}

// Read implements workspace.Filesystem.
func (f *Files) Read(ctx context.Context, name string, offset, limit int64) (workspace.Content, error) {
	layer, _, err := f.layer(ctx, name)
	if err != nil {
		return workspace.Content{}, err
	}
	return layer.Read(ctx, name, offset, limit)
}

// Download implements workspace.Filesystem.
func (f *Files) Download(ctx context.Context, name string) (io.ReadCloser, workspace.Entry, error) {
	layer, _, err := f.layer(ctx, name)
	if err != nil {
		return nil, workspace.Entry{}, err
	}
	return layer.Download(ctx, name)
}

// Stamp implements workspace.Filesystem.
func (f *Files) Stamp(ctx context.Context, name string, recursive bool) (string, error) {
	layer, entry, err := f.layer(ctx, name)
	if err == nil && entry.Type != workspace.TypeDirectory {
		return layer.Stamp(ctx, name, recursive)
	}
	if err != nil && !workspace.IsCode(err, workspace.CodeNotFound) &&
		!workspace.IsCode(err, workspace.CodeNotADirectory) {
		return "", err
	}
	var all string
	for _, layer := range []workspace.Filesystem{f.upper, f.lower, f.hidden} {
		if layer == nil {
			continue
		}
		stamp, err := layer.Stamp(ctx, name, recursive)
		if err != nil {
			return "", err
		}
		all += stamp + "|"
	}
	return all, nil
}

// clean checks a path of something that is changed.
func (f *Files) clean(name string) (string, error) {
	cleaned, err := workspace.CleanPath(name)
	if err == nil {
		err = f.limits().Permit(name, cleaned)
	}
	return cleaned, err
}

// hide leaves a tombstone.
func (f *Files) hide(ctx context.Context, cleaned string) error {
	if hidden, err := f.isHidden(ctx, cleaned); hidden || err != nil {
		return err
	}
	// Those below are of no use any more.
	err := f.hidden.Delete(ctx, cleaned, workspace.DeleteOptions{Recursive: true, Permanent: true})
	if err != nil && !workspace.IsCode(err, workspace.CodeNotFound) {
		return err
	}
	_, err = f.hidden.Write(ctx, cleaned, nil, workspace.WriteOptions{})
	return err
}

func parents(cleaned string) (above []string) {
	for dir := path.Dir(cleaned); dir != "."; dir = path.Dir(dir) {
		above = append(above, dir)
	}
	return above
}
