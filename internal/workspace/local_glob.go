package workspace

import (
	"context"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Glob implements Filesystem.
func (l *Local) Glob(ctx context.Context, pattern string, opts GlobOptions) (Listing, error) {
	if pattern == "" {
		return Listing{}, Errorf(CodeInvalidArgument, "", "the glob is empty: pass one like \"**/*.txt\"")
	}
	if err := checkGlob(pattern); err != nil {
		return Listing{}, err
	}
	dir, start, err := l.openDirAt(ctx, opts.Path)
	if err != nil {
		return Listing{}, err
	}
	defer dir.Close()

	// The part before the first wildcard is a path like any other.
	fixed, rest := doublestar.SplitPattern(pattern)
	if fixed, err = CleanPath(fixed); err != nil {
		return Listing{}, err
	}
	out := newCollector(opts.Limit)
	if fixed != "." {
		start = joinPath(start, fixed)
		below, _, err := l.openDirAt(ctx, start)
		if IsCode(err, CodeNotFound) || IsCode(err, CodeNotADirectory) {
			return out.listing, nil
		}
		if err != nil {
			return Listing{}, err
		}
		defer below.Close()
		dir = below
	}
	walk := l.walkOptions(ctx, start)
	walk.flat = !strings.Contains(rest, "/") && !strings.Contains(rest, "**")
	err = walkTree(ctx, dir, walk, func(e treeEntry) error {
		out.listing.Truncated = out.listing.Truncated || e.tooDeep
		if !doublestar.MatchUnvalidated(rest, e.path) {
			return nil
		}
		return out.add(entryOf(joinPath(start, e.path), e.info))
	})
	return out.listing, diskError(opts.Path, err)
}
