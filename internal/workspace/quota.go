package workspace

import (
	"context"
	"io/fs"
	"sync"
	"time"
)

const (
	rescanEvery    = time.Minute // shells and editors change files too
	rescanWhenFull = time.Second // before a write is refused, the count is checked
	// rescanShare keeps a count of a huge project from eating the machine: it is
	// repeated after this many times its own duration at the earliest.
	rescanShare = 50
)

// usage is how much of its limits a project uses: counted once, kept up to date
// by the writes that come through here, and counted again now and then.
type usage struct {
	mu      sync.Mutex
	files   int
	bytes   int64
	counted time.Time // zero: not known
	took    time.Duration
}

// change is what a write does to a project's usage.
type change struct {
	files int
	bytes int64
}

// reserve makes room for a change or fails with quota_exceeded. undo gives the
// room back when the write does not happen.
func (l *Local) reserve(ctx context.Context, path string, c change) (undo func(), err error) {
	limits := l.limits()
	if !limits.countsFiles() {
		return func() {}, nil
	}
	u := &l.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	age := time.Since(u.counted)
	stale := u.counted.IsZero() || age > max(rescanEvery, rescanShare*u.took)
	full := u.over(c, limits) != "" && age > max(rescanWhenFull, u.took)
	if stale || full {
		if err := l.recount(ctx); err != nil {
			return nil, err
		}
	}
	if reason := u.over(c, limits); reason != "" {
		return nil, Errorf(CodeQuotaExceeded, path, "%s: delete files that are not needed, and empty the project's trash", reason)
	}
	u.apply(c)
	return func() { l.usage.add(change{-c.files, -c.bytes}) }, nil
}

// CheckQuota says whether the project's files, its trash included, are over a
// limit: shells and editors write past this package. With fresh it counts again,
// unless that takes long and was done just before.
func (l *Local) CheckQuota(ctx context.Context, fresh bool) error {
	limits := l.limits()
	if !limits.countsFiles() {
		return nil
	}
	u := &l.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	age := time.Since(u.counted)
	if u.counted.IsZero() || age > max(rescanWhenFull, rescanShare*u.took) || fresh && age > min(rescanWhenFull, 5*u.took) {
		if err := l.recount(ctx); err != nil {
			return err
		}
	}
	switch {
	case limits.MaxFiles > 0 && u.files > limits.MaxFiles:
		return Errorf(CodeQuotaExceeded, "", "the project has %d files and may have %d: delete files that are not needed, and empty the project's trash", u.files, limits.MaxFiles)
	case limits.MaxTotalSize > 0 && u.bytes > limits.MaxTotalSize:
		return Errorf(CodeQuotaExceeded, "", "the project's files have %s together and may have %s: delete files that are not needed, and empty the project's trash",
			humanBytes(u.bytes), humanBytes(limits.MaxTotalSize))
	}
	return nil
}

// over says which limit a change would break, if it makes anything larger.
func (u *usage) over(c change, limits Limits) string {
	if c.files > 0 && limits.MaxFiles > 0 && u.files+c.files > limits.MaxFiles {
		return "the project has its largest number of files already"
	}
	if c.bytes > 0 && limits.MaxTotalSize > 0 && u.bytes+c.bytes > limits.MaxTotalSize {
		return "the project's files would be larger than " + humanBytes(limits.MaxTotalSize) + " together"
	}
	return ""
}

// add records a change that has happened.
func (u *usage) add(c change) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.apply(c)
}

func (u *usage) apply(c change) {
	u.files = max(0, u.files+c.files)
	u.bytes = max(0, u.bytes+c.bytes)
}

// forget makes the next write count again.
func (u *usage) forget() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.counted = time.Time{}
}

// recount walks the whole project. The caller holds the lock.
func (l *Local) recount(ctx context.Context) error {
	started := time.Now()
	root, err := l.openRoot()
	if err != nil {
		return err
	}
	defer root.Close()
	total, err := measure(ctx, root)
	if err != nil {
		return diskError("", err)
	}
	kept, err := l.measureTrash(ctx)
	if err != nil {
		return diskError("", err)
	}
	total.files, total.bytes = total.files+kept.files, total.bytes+kept.bytes
	u := &l.usage
	u.files, u.bytes = total.files, total.bytes
	u.counted, u.took = time.Now(), time.Since(started)
	return nil
}

// measureTrash counts the files in the project's trash as its items say: nobody
// but the server changes them.
func (l *Local) measureTrash(ctx context.Context) (total change, err error) {
	trash, missing, err := l.openTrash(false)
	if missing || err != nil {
		return total, err
	}
	defer trash.Close()
	ids, err := trashIDs(trash)
	if err != nil {
		return total, err
	}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		item, info, err := openItem(trash, id)
		if err != nil {
			continue // nothing that counts: broken, or purged meanwhile
		}
		item.Close()
		total.files, total.bytes = total.files+info.Files, total.bytes+info.Size
	}
	return total, nil
}

// measure counts the regular files below a directory.
func measure(ctx context.Context, dir treeDir) (change, error) {
	var total change
	err := walkTree(ctx, dir, walkOptions{all: true}, func(e treeEntry) error {
		if e.info.Mode().IsRegular() {
			total.files++
			total.bytes += e.info.Size()
		}
		return nil
	})
	return total, err
}

// sizeOf is what a file counts for.
func sizeOf(info fs.FileInfo) change {
	if info == nil || !info.Mode().IsRegular() {
		return change{}
	}
	return change{files: 1, bytes: info.Size()}
}
