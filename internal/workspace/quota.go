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
	// commandShare is the same for the counts that commands ask for. One that takes
	// less than quickCount is always made.
	commandShare = 20
	quickCount   = 20 * time.Millisecond
)

// usage is how much of its limits a project uses: counted once, kept up to date
// by the writes that come through here, and counted again now and then.
type usage struct {
	mu      sync.Mutex
	files   int
	bytes   int64
	denied  []deniedEntry
	large   []string
	counted time.Time // zero: not known
	took    time.Duration

	// base is what a directory of the user's holds that no agent added: limits do
	// not count it.
	base  change
	based bool
	// allowed is what the project used when the last command began: one that is over
	// its limits may shrink.
	allowed  change
	commands int // that run
}

// change is what a write does to a project's usage.
type change struct {
	files int
	bytes int64
}

func (c change) plus(d change) change  { return change{c.files + d.files, c.bytes + d.bytes} }
func (c change) minus(d change) change { return change{c.files - d.files, c.bytes - d.bytes} }

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
		return nil, Errorf(CodeQuotaExceeded, path,
			"%s: delete files that are not needed, and empty the project's trash", reason)
	}
	u.apply(c)
	return func() { l.usage.add(change{-c.files, -c.bytes}) }, nil
}

// CheckQuota says whether the project's files, its trash included, are over a
// limit and have grown since the last command began: shells and editors write past
// this package. With fresh it counts again, unless that takes long and was done
// just before.
func (l *Local) CheckQuota(ctx context.Context, fresh bool) error {
	limits := l.limits()
	if !limits.countsFiles() {
		return nil
	}
	u := &l.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := l.recountFor(ctx, fresh); err != nil {
		return err
	}
	return u.tooMuch(limits, u.allowed)
}

// recountFor counts for a command, where the last count is too old. The caller
// holds the lock.
func (l *Local) recountFor(ctx context.Context, fresh bool) error {
	u := &l.usage
	age := time.Since(u.counted)
	due := age > max(rescanWhenFull, rescanShare*u.took)
	if fresh {
		due = u.took < quickCount || age > commandShare*u.took
	}
	if u.counted.IsZero() || due {
		return l.recount(ctx)
	}
	return nil
}

// tooMuch is quota_exceeded where more is used than the limits and what is allowed.
func (u *usage) tooMuch(limits Limits, allowed change) error {
	const whatToDo = "delete files that are not needed, and empty the project's trash"
	switch used := u.used(); {
	case limits.MaxFiles > 0 && used.files > max(limits.MaxFiles, allowed.files):
		return Errorf(CodeQuotaExceeded, "", "the project has %d files%s and may have %d: %s", used.files, u.beside(),
			limits.MaxFiles, whatToDo)
	case limits.MaxTotalSize > 0 && used.bytes > max(limits.MaxTotalSize, allowed.bytes):
		return Errorf(CodeQuotaExceeded, "", "the project's files have %s together%s and may have %s: %s",
			humanBytes(used.bytes), u.beside(), humanBytes(limits.MaxTotalSize), whatToDo)
	}
	return nil
}

// beside names what does not count, so that nobody deletes it to make room.
func (u *usage) beside() string {
	if u.base.files == 0 {
		return ""
	}
	return " beside those that were there before"
}

// used is what counts.
func (u *usage) used() change {
	return change{max(0, u.files-u.base.files), max(0, u.bytes-u.base.bytes)}
}

// over says which limit a change would break, if it makes anything larger.
func (u *usage) over(c change, limits Limits) string {
	used := u.used()
	if c.files > 0 && limits.MaxFiles > 0 && used.files+c.files > limits.MaxFiles {
		return "the project has its largest number of files already"
	}
	if c.bytes > 0 && limits.MaxTotalSize > 0 && used.bytes+c.bytes > limits.MaxTotalSize {
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
	found, err := takeCensus(ctx, root, walkOptions{base: ".", depth: l.limits().depth()}, l.limits())
	if err != nil {
		return diskError("", err)
	}
	kept, err := l.measureTrash(ctx)
	if err != nil {
		return diskError("", err)
	}
	total := found.plus(kept)
	u := &l.usage
	u.files, u.bytes, u.denied, u.large = total.files, total.bytes, found.denied, found.large
	u.counted, u.took = time.Now(), time.Since(started)
	if l.inPlace && !u.based {
		u.base, u.based = found.change, true
	}
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
		total.files, total.bytes = total.files+info.counted(), total.bytes+info.Size
	}
	return total, nil
}

// sizeOf is what a file counts for.
func sizeOf(info fs.FileInfo) change {
	if info == nil || !info.Mode().IsRegular() {
		return change{}
	}
	return change{files: 1, bytes: info.Size()}
}
