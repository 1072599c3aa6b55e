package workspace

import (
	"context"
	"errors"
)

// Grep implements Filesystem. Files that are binary, too large, denied or not
// ordinary are counted as skipped.
func (l *Local) Grep(ctx context.Context, opts GrepOptions) (GrepResult, error) {
	g, err := newGrep(opts)
	if err != nil {
		return GrepResult{}, err
	}
	entry, err := l.Stat(ctx, opts.Path)
	if err != nil {
		return GrepResult{}, err
	}
	if entry.Type == TypeDirectory {
		err = l.grepTree(ctx, g)
	} else {
		err = l.grepFile(ctx, g, entry)
	}
	if errors.Is(err, errStop) {
		err = nil
	}
	return g.result, diskError(opts.Path, err)
}

func (l *Local) grepFile(ctx context.Context, g *grep, entry Entry) error {
	f, info, err := l.openFile(ctx, g.opts.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if limits := l.limits(); limits.TooLarge(info.Size()) {
		return limits.TooLargeError(g.opts.Path)
	}
	return g.file(ctx, entry.Path, f)
}

func (l *Local) grepTree(ctx context.Context, g *grep) error {
	dir, start, err := l.openDirAt(ctx, g.opts.Path)
	if err != nil {
		return err
	}
	defer dir.Close()
	limits := l.limits()
	return walkTree(ctx, dir, l.walkOptions(ctx, start), func(e treeEntry) error {
		g.result.Truncated = g.result.Truncated || e.tooDeep
		path := joinPath(start, e.path)
		if _, denied := limits.denies(path); denied {
			if e.info.IsDir() {
				return errSkipDir
			}
			g.result.FilesSkipped++
			return nil
		}
		if e.info.IsDir() || !matchesFile(g.opts.Glob, e.name, e.path, path) {
			return nil
		}
		if limits.TooLarge(e.info.Size()) || readable(path, e.info) != nil {
			g.result.FilesSkipped++
			return nil
		}
		return grepEntry(ctx, g, e, path)
	})
}

func grepEntry(ctx context.Context, g *grep, e treeEntry, path string) error {
	f, _, err := openSame(e.dir, e.name, e.info, path)
	if err != nil {
		g.result.FilesSkipped++ // it vanished, or is not ours to read
		return nil
	}
	defer f.Close()
	return g.file(ctx, path, f)
}
