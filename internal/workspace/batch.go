package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// OnConflict says what an upload does where a file is there already.
type OnConflict string

// What an upload does where a file is there already.
const (
	ConflictFail     OnConflict = "fail"      // nothing of the batch is stored
	ConflictReplace  OnConflict = "replace"   // the old content goes to the trash
	ConflictKeepBoth OnConflict = "keep_both" // the new file gets another name
	ConflictSkip     OnConflict = "skip"      // the old file stays
)

// OnConflicts are all of them.
var OnConflicts = []OnConflict{ConflictFail, ConflictReplace, ConflictKeepBoth, ConflictSkip}

// mostNames bounds the names that are tried for a file that is kept beside another.
const mostNames = 1000

// Batch is files that are uploaded together. With ConflictFail they get their names
// at Commit, all or none; else each of them when it is added. Close must be called.
// It is not safe for concurrent use.
type Batch struct {
	files Filesystem
	l     *Local // nil: files are elsewhere, and wait in temporary files of this machine
	on    OnConflict
	actor Actor

	waiting   []waitingFile
	names     map[string]bool // of waiting
	made      []string        // parents, outermost first
	conflicts []string
	skipped   []string
	written   []Written
}

// waitingFile is staged, and waits for the rest of its batch.
type waitingFile struct {
	path string
	name string // of the staged file, beside the target
	size int64
	etag string
	// spool holds the content where it is not staged beside the target
	spool *os.File
}

// NewBatch begins an upload.
func NewBatch(files Filesystem, on OnConflict, actor Actor) (*Batch, error) {
	local, _ := files.(*Local)
	if !slices.Contains(OnConflicts, on) {
		return nil, Errorf(CodeInvalidArgument, "", "on_conflict %q is invalid: use one of %q", on, OnConflicts)
	}
	return &Batch{files: files, l: local, on: on, actor: actor, names: map[string]bool{}}, nil
}

// Conflicts are the paths where files are there already, with ConflictFail.
func (b *Batch) Conflicts() []string { return b.conflicts }

// Skipped are the paths that were left alone, with ConflictSkip.
func (b *Batch) Skipped() []string { return b.skipped }

// Written is what was stored so far.
func (b *Batch) Written() []Written { return b.written }

// Add adds a file. It need not read r where the file will not be stored.
func (b *Batch) Add(ctx context.Context, name string, r io.Reader) error {
	switch b.on {
	case ConflictReplace:
		return b.upload(ctx, name, r, WriteOptions{Keep: &b.actor})
	case ConflictSkip:
		there, err := b.files.Exists(ctx, name)
		if err != nil {
			return err
		}
		if !there {
			err = b.upload(ctx, name, r, WriteOptions{IfNoneMatch: true})
		}
		if there || IsCode(err, CodeAlreadyExists) {
			b.skipped = append(b.skipped, name)
			return nil
		}
		return err
	case ConflictKeepBoth:
		return b.addBeside(ctx, name, r)
	}
	if b.l == nil {
		return b.waitElsewhere(ctx, name, r)
	}
	return b.wait(ctx, name, r)
}

func (b *Batch) upload(ctx context.Context, name string, r io.Reader, opts WriteOptions) error {
	written, err := b.files.Upload(ctx, name, r, opts)
	if err == nil {
		b.written = append(b.written, written)
	}
	return err
}

// addBeside stores a file under the first name that is free: "name (2).ext".
func (b *Batch) addBeside(ctx context.Context, name string, r io.Reader) error {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	if path.Base(name) == ext {
		stem, ext = name, "" // ".env" is a name without an ending
	}
	try := name
	for n := 2; n <= mostNames; n++ {
		there, err := b.files.Exists(ctx, try)
		if err != nil {
			return err
		}
		if !there {
			// Who takes the name while the content comes has a conflict of his own.
			return b.upload(ctx, try, r, WriteOptions{IfNoneMatch: true})
		}
		try = fmt.Sprintf("%s (%d)%s", stem, n, ext)
	}
	return Errorf(CodeAlreadyExists, name, "there are %d files of this name already", mostNames)
}

// wait stages a file, unless the batch has failed already.
func (b *Batch) wait(ctx context.Context, name string, r io.Reader) error {
	target, err := b.l.openTarget(ctx, name)
	if err != nil {
		return err
	}
	defer target.close()
	b.made = append(b.made, target.made...)
	if target.info != nil || b.names[target.path] {
		b.conflicts = append(b.conflicts, name)
		return nil
	}
	b.names[target.path] = true
	if len(b.conflicts) > 0 {
		return nil // nothing will be stored: what is left is looked at for conflicts alone
	}
	staged, err := b.l.stage(ctx, target, name, r)
	if errors.Is(err, errSwapped) {
		return swappedError(name)
	}
	if err != nil {
		return diskError(name, err)
	}
	if err := staged.close(); err != nil {
		staged.discard()
		return diskError(name, err)
	}
	b.waiting = append(b.waiting, waitingFile{path: name, name: staged.name, size: staged.size, etag: staged.etag})
	return nil
}

// Commit gives the files of a batch their names. Where a file is there already it is
// already_exists, and nothing is stored.
func (b *Batch) Commit(ctx context.Context) ([]Written, error) {
	var total change
	for _, one := range b.waiting {
		total = total.plus(change{1, one.size})
		if there, err := b.files.Exists(ctx, one.path); err != nil {
			return nil, err
		} else if there {
			b.conflicts = append(b.conflicts, one.path) // made meanwhile
		}
	}
	if len(b.conflicts) > 0 {
		return nil, Errorf(CodeAlreadyExists, "",
			"%d of the files are there already: upload with on_conflict replace, keep_both or skip", len(b.conflicts))
	}
	if b.written == nil {
		b.written = []Written{}
	}
	if b.l == nil {
		return b.commitElsewhere(ctx)
	}
	undo, err := b.l.reserve(ctx, "", total)
	if err != nil {
		return nil, err
	}
	undo() // each of them takes its own room
	for len(b.waiting) > 0 {
		written, err := b.commitOne(ctx, b.waiting[0])
		if err != nil {
			return nil, diskError(b.waiting[0].path, err)
		}
		b.waiting, b.made = b.waiting[1:], nil
		b.written = append(b.written, written)
	}
	return b.written, nil
}

func (b *Batch) commitOne(ctx context.Context, one waitingFile) (Written, error) {
	target, err := b.l.openTarget(ctx, one.path)
	if err != nil {
		return Written{}, err
	}
	defer target.close()
	release, err := lockPlace(ctx, target)
	if err != nil {
		return Written{}, err
	}
	defer release()
	if err := target.refresh(one.path); err != nil {
		return Written{}, err
	}
	if target.info != nil {
		return Written{}, Errorf(CodeAlreadyExists, one.path, "the file was made by another process meanwhile")
	}
	file, err := target.dir.Open(one.name)
	if err != nil {
		return Written{}, err
	}
	return b.l.commit(ctx, target, one.path, &stagedFile{dir: target.dir, name: one.name, file: file, size: one.size,
		etag: one.etag})
}

// Close removes what was not committed.
func (b *Batch) Close() {
	ctx := context.Background()
	for _, one := range b.waiting {
		if one.spool != nil {
			_ = one.spool.Close() // it has no name any more
			continue
		}
		// What cannot be removed now is removed by a listing later.
		if target, err := b.l.resolve(ctx, one.path, how{follow: true}); err == nil {
			_ = target.dir.Remove(one.name)
			target.close()
		}
	}
	b.waiting = nil
	for i := len(b.made) - 1; i >= 0; i-- {
		b.l.unmake(b.made[i : i+1])
	}
}
