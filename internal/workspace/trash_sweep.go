package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// trashOf is the trash of a project.
func (p *Projects) trashOf(projectID string) string {
	return filepath.Join(p.current().Root, TrashDir, projectID)
}

// SweepTrash deletes for good what was deleted before olderThan, in all projects,
// and what crashes left; it returns the number of items. A zero time sweeps what
// crashes left alone.
func (p *Projects) SweepTrash(ctx context.Context, olderThan time.Time) (int64, error) {
	entries, err := os.ReadDir(filepath.Join(p.current().Root, TrashDir))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("list the trash: %w", err)
	}
	var total int64
	for _, entry := range entries {
		if ctx.Err() != nil {
			return total, context.Cause(ctx)
		}
		if !entry.IsDir() || !projectName.MatchString(entry.Name()) {
			continue
		}
		p.mu.Lock()
		local := p.open[entry.Name()]
		p.mu.Unlock()
		if local == nil {
			local = &Local{trash: p.trashOf(entry.Name()), limits: p.limits}
		}
		n, err := local.SweepTrash(ctx, olderThan)
		total += n
		if err != nil {
			return total, fmt.Errorf("sweep the trash of project %s: %w", entry.Name(), err)
		}
	}
	return total, nil
}

// SweepTrash deletes for good what was deleted before olderThan, and what crashes left; it
// returns the number of items.
func (l *Local) SweepTrash(ctx context.Context, olderThan time.Time) (removed int64, err error) {
	trash, missing, err := l.openTrash(false)
	if missing || err != nil {
		return 0, err
	}
	defer trash.Close()
	ids, err := trashIDs(trash)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if ctx.Err() != nil {
			return removed, context.Cause(ctx)
		}
		item, info, err := openItem(trash, id)
		if IsCode(err, CodeNotFound) {
			sweepBroken(ctx, trash, id)
			continue
		}
		if err != nil {
			return removed, err
		}
		item.Close()
		if !info.DeletedAt.Before(olderThan) {
			continue
		}
		if err := l.Purge(ctx, id); err != nil && !IsCode(err, CodeNotFound) {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// sweepBroken removes what is no item: a crash left it, unless it is so young that
// somebody may be at work on it.
func sweepBroken(ctx context.Context, trash *os.Root, name string) {
	if info, err := trash.Lstat(name); err == nil && time.Since(info.ModTime()) > staleTemp {
		// Failing is harmless: the next sweep tries again.
		_ = removeTree(ctx, trash, name)
	}
}
