package workspace

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Tree is what listings and searches need of files that are not a directory of this
// machine. Paths are cleaned (CleanPath); its errors are those of Filesystem.
type Tree interface {
	// Entry describes what is at a path.
	Entry(ctx context.Context, path string) (Entry, error)

	// Children returns the entries of a directory, in no order.
	Children(ctx context.Context, dir string) ([]Entry, error)

	// Content opens a file of Children. Where a search would skip the content anyway
	// it may fail with ErrBinary instead.
	Content(ctx context.Context, file Entry) (io.ReadCloser, error)
}

// ErrBinary says that a content is not text, so that nobody has to fetch it.
var ErrBinary = errors.New("the file is binary")

// Search implements List, Glob and Grep of a Filesystem on a Tree, under limits.
type Search struct {
	Tree   Tree
	Limits Limits
}

// List is Filesystem.List.
func (s Search) List(ctx context.Context, path string, opts ListOptions) (Listing, error) {
	if err := checkGlob(opts.Pattern); err != nil {
		return Listing{}, err
	}
	base, err := s.dir(ctx, path)
	if err != nil {
		return Listing{}, err
	}
	w := searchWalk{Search: s, ctx: ctx, flat: !opts.Recursive, dirsFirst: opts.DirsFirst, all: opts.All}
	out := newCollector(opts.Limit)
	err = w.walk(base, func(e Entry, tooDeep bool) error {
		out.listing.Truncated = out.listing.Truncated || tooDeep
		if opts.Pattern != "" && !doublestar.MatchUnvalidated(opts.Pattern, e.Name) {
			return nil
		}
		return out.add(e)
	})
	return out.listing, err
}

// Glob is Filesystem.Glob.
func (s Search) Glob(ctx context.Context, pattern string, opts GlobOptions) (Listing, error) {
	if pattern == "" {
		return Listing{}, Errorf(CodeInvalidArgument, "", "the glob is empty: pass one like \"**/*.txt\"")
	}
	if err := checkGlob(pattern); err != nil {
		return Listing{}, err
	}
	start, err := s.dir(ctx, opts.Path)
	if err != nil {
		return Listing{}, err
	}
	// The part before the first wildcard is a path like any other.
	fixed, rest := doublestar.SplitPattern(pattern)
	if fixed, err = CleanPath(fixed); err != nil {
		return Listing{}, err
	}
	out := newCollector(opts.Limit)
	if fixed != "." {
		start, err = s.dir(ctx, joinPath(start, fixed))
		if IsCode(err, CodeNotFound) || IsCode(err, CodeNotADirectory) {
			return out.listing, nil
		}
		if err != nil {
			return Listing{}, err
		}
	}
	w := searchWalk{Search: s, ctx: ctx, flat: !strings.Contains(rest, "/") && !strings.Contains(rest, "**")}
	err = w.walk(start, func(e Entry, tooDeep bool) error {
		out.listing.Truncated = out.listing.Truncated || tooDeep
		if !doublestar.MatchUnvalidated(rest, relative(start, e.Path)) {
			return nil
		}
		return out.add(e)
	})
	return out.listing, err
}

// Grep is Filesystem.Grep.
func (s Search) Grep(ctx context.Context, opts GrepOptions) (GrepResult, error) {
	g, err := newGrep(opts)
	if err != nil {
		return GrepResult{}, err
	}
	base, err := s.clean(opts.Path)
	if err != nil {
		return GrepResult{}, err
	}
	entry, err := s.Tree.Entry(ctx, base)
	if err != nil {
		return GrepResult{}, err
	}
	if entry.Type == TypeDirectory {
		err = s.grepTree(ctx, g, base)
	} else {
		err = s.grepFile(ctx, g, entry)
	}
	if errors.Is(err, errStop) {
		err = nil
	}
	return g.result, err
}

func (s Search) grepTree(ctx context.Context, g *grep, base string) error {
	w := searchWalk{Search: s, ctx: ctx}
	return w.walk(base, func(e Entry, tooDeep bool) error {
		g.result.Truncated = g.result.Truncated || tooDeep
		if _, denied := s.Limits.denies(e.Path); denied {
			if e.Type == TypeDirectory {
				return errSkipDir
			}
			g.result.FilesSkipped++
			return nil
		}
		if e.Type == TypeDirectory || !matchesFile(g.opts.Glob, e.Name, relative(base, e.Path), e.Path) {
			return nil
		}
		if s.Limits.TooLarge(e.Size) || e.Type != TypeFile {
			g.result.FilesSkipped++
			return nil
		}
		return s.grepFile(ctx, g, e)
	})
}

// grepFile searches one file; one that vanished or is not ours to read is skipped.
func (s Search) grepFile(ctx context.Context, g *grep, e Entry) error {
	if s.Limits.TooLarge(e.Size) {
		return s.Limits.TooLargeError(e.Path)
	}
	content, err := s.Tree.Content(ctx, e)
	var own *Error
	switch {
	case errors.Is(err, ErrBinary), errors.As(err, &own) && own.Code != CodeInternal && own.Code != CodeUnavailable:
		g.result.FilesSkipped++
		return nil
	case err != nil:
		return err
	}
	defer content.Close()
	return g.file(ctx, e.Path, content)
}

func (s Search) clean(path string) (string, error) {
	cleaned, err := CleanPath(path)
	if err == nil {
		err = s.Limits.Permit(path, cleaned)
	}
	return cleaned, err
}

// dir is the cleaned path of a directory that is there.
func (s Search) dir(ctx context.Context, path string) (string, error) {
	cleaned, err := s.clean(path)
	if err != nil {
		return "", err
	}
	entry, err := s.Tree.Entry(ctx, cleaned)
	if err != nil {
		return "", err
	}
	if entry.Type != TypeDirectory {
		return "", Errorf(CodeNotADirectory, path, "it is a file, not a directory")
	}
	return cleaned, nil
}

// relative is a cleaned path as seen from a directory above it.
func relative(dir, path string) string {
	if dir == "." {
		return path
	}
	return strings.TrimPrefix(path, dir+"/")
}
