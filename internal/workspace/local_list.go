package workspace

import (
	"context"
	"io"
	"os"

	"github.com/bmatcuk/doublestar/v4"
)

// List implements Filesystem.
func (l *Local) List(ctx context.Context, path string, opts ListOptions) (Listing, error) {
	if err := checkGlob(opts.Pattern); err != nil {
		return Listing{}, err
	}
	dir, base, err := l.openDirAt(ctx, path)
	if err != nil {
		return Listing{}, err
	}
	defer dir.Close()
	out := newCollector(opts.Limit)
	walk := walkOptions{base: base, flat: true}
	if opts.Recursive {
		walk = l.walkOptions(ctx, base)
		walk.all = walk.all || opts.All
	}
	walk.dirsFirst = opts.DirsFirst
	err = walkTree(ctx, dir, walk, func(e treeEntry) error {
		out.listing.Truncated = out.listing.Truncated || e.tooDeep
		if opts.Pattern != "" && !doublestar.MatchUnvalidated(opts.Pattern, e.name) {
			return nil
		}
		return out.add(entryOf(joinPath(base, e.path), e.info))
	})
	return out.listing, diskError(path, err)
}

// walkFiles visits everything below a directory, ignored folders too, and opens the
// files that may be read. What is denied, or nested too deep, cannot be opened.
func (l *Local) walkFiles(ctx context.Context, path string,
	visit func(Entry, func() (io.ReadCloser, error)) error) error {
	dir, base, err := l.openDirAt(ctx, path)
	if err != nil {
		return err
	}
	defer dir.Close()
	limits := l.limits()
	err = walkTree(ctx, dir, walkOptions{base: base, depth: limits.depth() - depthOf(base), all: true},
		func(e treeEntry) error {
			entry := entryOf(joinPath(base, e.path), e.info)
			if _, denied := limits.denies(entry.Path); denied || e.tooDeep {
				entry.Type = TypeOther
			}
			err := visit(entry, func() (io.ReadCloser, error) {
				f, _, err := openSame(e.dir, e.name, e.info, entry.Path)
				return f, diskError(entry.Path, err)
			})
			if err == nil && entry.Type == TypeOther && e.info.IsDir() {
				return errSkipDir
			}
			return err
		})
	return diskError(path, err)
}

// openDirAt opens the directory that a path leads to. base is the cleaned path,
// which the entries' paths begin with.
func (l *Local) openDirAt(ctx context.Context, path string) (dir *os.Root, base string, err error) {
	base, err = CleanPath(path)
	if err != nil {
		return nil, "", err
	}
	for range maxSwaps {
		found, err := l.resolve(ctx, path, how{follow: true})
		if err != nil {
			return nil, "", err
		}
		dir, err := found.openDir(path)
		found.close()
		if err == nil {
			return dir, base, nil
		}
		if err = raced(err); err != errSwapped {
			return nil, "", diskError(path, err)
		}
	}
	return nil, "", swappedError(path)
}

func (p *place) openDir(path string) (*os.Root, error) {
	switch {
	case p.info == nil:
		return nil, Errorf(CodeNotFound, path, "there is no such directory")
	case !p.info.IsDir():
		return nil, Errorf(CodeNotADirectory, path, "it is a file, not a directory")
	}
	return openDir(p.dir, p.name, p.info)
}

// collector gathers entries up to a limit.
type collector struct {
	limit   int
	listing Listing
}

func newCollector(limit int) *collector {
	if limit == 0 {
		limit = DefaultLimit
	}
	return &collector{limit: limit, listing: Listing{Entries: []Entry{}}}
}

func (c *collector) add(e Entry) error {
	if c.limit > 0 && len(c.listing.Entries) == c.limit {
		c.listing.Truncated = true
		return errStop
	}
	c.listing.Entries = append(c.listing.Entries, e)
	return nil
}
