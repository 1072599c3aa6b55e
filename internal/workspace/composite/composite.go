// Package composite shows several file systems as one: a root, and others at prefixes
// of its paths (WS3).
//
// The longest prefix wins. A prefix is a directory or, for one file, an exact path; a
// file has the same path in the file system that holds it. Listings and searches of a
// directory above a prefix merge. A move from one file system to another copies first
// and then deletes: a reader finds the old place or the new one, whole.
//
// It runs no commands, whatever its root can do.
package composite

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"nanoclaw/internal/workspace"
)

// Route sends the paths of a prefix to a file system.
type Route struct {
	Prefix string // ends in a slash: a directory; else one file
	Files  workspace.Filesystem
}

// route is a Route with its path cleaned.
type route struct {
	path  string
	exact bool
	files workspace.Filesystem
}

// Files are the file systems together.
type Files struct {
	root   workspace.Filesystem
	routes []route // the longest first
	limits func() workspace.Limits
}

var _ workspace.Filesystem = (*Files)(nil)

// New puts routes over a root. limits are those of all of them; nil: none.
func New(root workspace.Filesystem, routes []Route, limits func() workspace.Limits) (*Files, error) {
	if limits == nil {
		limits = func() workspace.Limits { return workspace.Limits{} }
	}
	f := &Files{root: root, limits: limits}
	for _, r := range routes {
		cleaned, err := workspace.CleanPath(r.Prefix)
		if err != nil {
			return nil, fmt.Errorf("the shared prefix %q: %w", r.Prefix, err)
		}
		if cleaned == "." {
			return nil, fmt.Errorf("the shared prefix %q is the whole project", r.Prefix)
		}
		if slices.ContainsFunc(f.routes, func(other route) bool { return other.path == cleaned }) {
			return nil, fmt.Errorf("the shared prefix %q is given twice", r.Prefix)
		}
		f.routes = append(f.routes, route{path: cleaned, exact: !strings.HasSuffix(r.Prefix, "/"), files: r.Files})
	}
	slices.SortStableFunc(f.routes, func(a, b route) int { return len(b.path) - len(a.path) })
	return f, nil
}

// owner is the file system that holds a cleaned path.
func (f *Files) owner(cleaned string) workspace.Filesystem {
	if r := f.routeOf(cleaned); r != nil {
		return r.files
	}
	return f.root
}

func (f *Files) routeOf(cleaned string) *route {
	for i, r := range f.routes {
		if cleaned == r.path || !r.exact && strings.HasPrefix(cleaned, r.path+"/") {
			return &f.routes[i]
		}
	}
	return nil
}

// below are the routes inside a directory, not at it.
func (f *Files) below(dir string) (found []route) {
	for _, r := range f.routes {
		if dir == "." || strings.HasPrefix(r.path, dir+"/") {
			found = append(found, r)
		}
	}
	return found
}

// clean checks a caller's path.
func (f *Files) clean(name string) (string, error) {
	cleaned, err := workspace.CleanPath(name)
	if err == nil {
		err = f.limits().Permit(name, cleaned)
	}
	return cleaned, err
}

// alone is the file system that answers for a directory and everything in it; nil:
// several have a part in it.
func (f *Files) alone(name string) (workspace.Filesystem, error) {
	cleaned, err := f.clean(name)
	if err != nil || len(f.below(cleaned)) > 0 {
		return nil, err
	}
	return f.owner(cleaned), nil
}

// Entry implements workspace.Tree.
func (f *Files) Entry(ctx context.Context, cleaned string) (workspace.Entry, error) {
	entry, err := f.owner(cleaned).Stat(ctx, cleaned)
	if !workspace.IsCode(err, workspace.CodeNotFound) {
		return entry, err
	}
	// A directory may be there for what a route has in it.
	for _, r := range f.below(cleaned) {
		inner, innerErr := r.files.Stat(ctx, r.path)
		if innerErr == nil {
			return workspace.Entry{Name: nameOf(cleaned), Path: cleaned, Type: workspace.TypeDirectory,
				Modified: inner.Modified}, nil
		}
		if !isMissing(innerErr) {
			return entry, innerErr
		}
	}
	return entry, err
}

func nameOf(cleaned string) string { return cleaned[strings.LastIndexByte(cleaned, '/')+1:] }

func isMissing(err error) bool {
	return workspace.IsCode(err, workspace.CodeNotFound) || workspace.IsCode(err, workspace.CodeNotADirectory)
}

// Children implements workspace.Tree.
func (f *Files) Children(ctx context.Context, dir string) ([]workspace.Entry, error) {
	inside := f.below(dir)
	children, err := workspace.ChildrenOf(ctx, f.owner(dir), dir)
	if err != nil && !(isMissing(err) && len(inside) > 0) {
		return nil, err
	}
	asked := map[string]bool{}
	for _, r := range inside {
		name, _, _ := strings.Cut(strings.TrimPrefix(r.path, prefixOf(dir)), "/")
		if asked[name] {
			continue
		}
		asked[name] = true
		children = slices.DeleteFunc(children, func(e workspace.Entry) bool { return e.Name == name })
		entry, err := f.Entry(ctx, prefixOf(dir)+name)
		if err == nil {
			children = append(children, entry)
		} else if !isMissing(err) {
			return nil, err
		}
	}
	return children, nil
}

// prefixOf begins the paths in a directory.
func prefixOf(dir string) string {
	if dir == "." {
		return ""
	}
	return dir + "/"
}

// Content implements workspace.Tree.
func (f *Files) Content(ctx context.Context, file workspace.Entry) (io.ReadCloser, error) {
	return workspace.ContentOf(ctx, f.owner(file.Path), file)
}

func (f *Files) search() workspace.Search { return workspace.Search{Tree: f, Limits: f.limits()} }

// List implements workspace.Filesystem.
func (f *Files) List(ctx context.Context, name string, opts workspace.ListOptions) (workspace.Listing, error) {
	if files, err := f.alone(name); files != nil || err != nil {
		if err != nil {
			return workspace.Listing{}, err
		}
		return files.List(ctx, name, opts)
	}
	return f.search().List(ctx, name, opts)
}

// Glob implements workspace.Filesystem.
func (f *Files) Glob(ctx context.Context, pattern string, opts workspace.GlobOptions) (workspace.Listing, error) {
	if files, err := f.alone(opts.Path); files != nil || err != nil {
		if err != nil {
			return workspace.Listing{}, err
		}
		return files.Glob(ctx, pattern, opts)
	}
	return f.search().Glob(ctx, pattern, opts)
}

// Grep implements workspace.Filesystem.
func (f *Files) Grep(ctx context.Context, opts workspace.GrepOptions) (workspace.GrepResult, error) {
	if files, err := f.alone(opts.Path); files != nil || err != nil {
		if err != nil {
			return workspace.GrepResult{}, err
		}
		return files.Grep(ctx, opts)
	}
	return f.search().Grep(ctx, opts)
}

// Stat implements workspace.Filesystem.
func (f *Files) Stat(ctx context.Context, name string) (workspace.Entry, error) {
	cleaned, err := f.clean(name)
	if err != nil {
		return workspace.Entry{}, err
	}
	entry, err := f.Entry(ctx, cleaned)
	return entry, err
}

// Exists implements workspace.Filesystem.
func (f *Files) Exists(ctx context.Context, name string) (bool, error) {
	_, err := f.Stat(ctx, name)
	if isMissing(err) {
		return false, nil
	}
	return err == nil, err
}

// Read implements workspace.Filesystem.
func (f *Files) Read(ctx context.Context, name string, offset, limit int64) (workspace.Content, error) {
	cleaned, err := f.clean(name)
	if err != nil {
		return workspace.Content{}, err
	}
	return f.owner(cleaned).Read(ctx, name, offset, limit)
}

// Download implements workspace.Filesystem.
func (f *Files) Download(ctx context.Context, name string) (io.ReadCloser, workspace.Entry, error) {
	cleaned, err := f.clean(name)
	if err != nil {
		return nil, workspace.Entry{}, err
	}
	return f.owner(cleaned).Download(ctx, name)
}

// Stamp implements workspace.Filesystem. Where several file systems have a part in a
// directory, the stamp is made of theirs.
func (f *Files) Stamp(ctx context.Context, name string, recursive bool) (string, error) {
	cleaned, err := f.clean(name)
	if err != nil {
		return "", err
	}
	stamp, err := f.owner(cleaned).Stamp(ctx, name, recursive)
	for _, r := range f.below(cleaned) {
		if err != nil {
			break
		}
		var inner string
		inner, err = r.files.Stamp(ctx, r.path, recursive)
		stamp += "|" + inner
	}
	return stamp, err
}

// Holder is the file system that holds a path; nil: none does.
func (f *Files) Holder(_ context.Context, name string) workspace.Filesystem {
	cleaned, err := f.clean(name)
	if err != nil {
		return nil
	}
	return f.owner(cleaned)
}
