package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The trash of a project (FS7) is a directory beside the projects' own, so that
// nothing in a project leads to it: no path, no listing, no archive, no sandbox.
// An item is a directory with the name of its id:
//
//	info.json  trashInfo, written first
//	item       what was deleted, renamed to here
//
// A directory without an item is what a crash left; a sweep removes it. What lies
// on another file system than the trash is copied to "part" and renamed before
// the original is removed, so that a crash leaves it in one place at least.
const (
	// TrashDir is the directory of all projects' trashes, below the workspace root.
	TrashDir = ".trash"

	trashInfoName = "info.json"
	trashItemName = "item"
	trashPartName = "part"
	trashDirMode  = 0o700
)

// TrashItem is something that was deleted and can be restored.
type TrashItem struct {
	ID        string    `json:"id"`
	Path      string    `json:"path"` // where it was, from the project's root
	Kind      EntryType `json:"kind"`
	Size      int64     `json:"size"`  // bytes; of a directory those of all files in it
	Files     int       `json:"files"` // 1 for a file, those in it for a directory
	DeletedAt time.Time `json:"deleted_at"`
	DeletedBy string    `json:"deleted_by"`       // user id
	RunID     string    `json:"run_id,omitempty"` // whose call it was; empty: a person's request
}

// TrashPage is a part of the trash, last deleted first. Next is the id to go on
// behind, empty at the end.
type TrashPage struct {
	Items []TrashItem
	Next  string
}

// Trashed is a Filesystem that keeps what is deleted.
type Trashed interface {
	Filesystem

	// Trash returns items that were deleted before the item after (empty: from
	// the last one on), at most limit.
	Trash(ctx context.Context, after string, limit int) (TrashPage, error)

	// Restore puts an item back to its path, or to another one, with the parents
	// of it. Something that is there is already_exists, and the item stays.
	Restore(ctx context.Context, id, to string) (Entry, error)

	// Purge deletes an item for good.
	Purge(ctx context.Context, id string) error
}

var _ Trashed = (*Local)(nil)

// trashInfo is what is noted of an item. The path is bytes: a name need not be UTF-8.
type trashInfo struct {
	Path      []byte    `json:"path"`
	Kind      EntryType `json:"kind"`
	Size      int64     `json:"size"`
	Files     int       `json:"files"`
	Ignored   int       `json:"ignored,omitempty"` // of the files: those that do not count in the quota
	DeletedAt time.Time `json:"deleted_at"`
	DeletedBy string    `json:"deleted_by,omitempty"`
	RunID     string    `json:"run_id,omitempty"`
}

// counted is how many files count in the quota.
func (i trashInfo) counted() int { return i.Files - i.Ignored }

func (i trashInfo) item(id string) TrashItem {
	return TrashItem{ID: id, Path: string(i.Path), Kind: i.Kind, Size: i.Size, Files: i.Files, DeletedAt: i.DeletedAt,
		DeletedBy: i.DeletedBy, RunID: i.RunID}
}

// openTrash opens the project's trash; missing says that nothing was ever deleted.
func (l *Local) openTrash(create bool) (_ *os.Root, missing bool, err error) {
	if l.trash == "" {
		return nil, true, nil
	}
	if create {
		if err := os.MkdirAll(l.trash, trashDirMode); err != nil {
			return nil, false, fmt.Errorf("make the trash: %w", err)
		}
	}
	root, err := os.OpenRoot(l.trash)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	return root, false, err
}

// openItem opens the directory of an item.
func openItem(trash *os.Root, id string) (*os.Root, trashInfo, error) {
	if _, err := uuid.Parse(id); err != nil || len(id) != 36 {
		return nil, trashInfo{}, noItem(id)
	}
	dir, err := trash.OpenRoot(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, trashInfo{}, noItem(id)
	}
	if err != nil {
		return nil, trashInfo{}, err
	}
	info, err := readTrashInfo(dir)
	if err != nil {
		dir.Close()
		return nil, trashInfo{}, noItem(id)
	}
	return dir, info, nil
}

func noItem(id string) error {
	return Errorf(CodeNotFound, "", "there is no item %q in the trash", shorten(id))
}

// readTrashInfo reads what is noted of a whole item.
func readTrashInfo(dir *os.Root) (info trashInfo, err error) {
	if _, err := dir.Lstat(trashItemName); err != nil {
		return info, err
	}
	text, err := dir.ReadFile(trashInfoName)
	if err != nil {
		return info, err
	}
	return info, json.Unmarshal(text, &info)
}

// Trash implements Trashed.
func (l *Local) Trash(ctx context.Context, after string, limit int) (TrashPage, error) {
	page := TrashPage{Items: []TrashItem{}}
	trash, missing, err := l.openTrash(false)
	if missing || err != nil {
		return page, diskError("", err)
	}
	defer trash.Close()
	ids, err := trashIDs(trash)
	if err != nil {
		return page, diskError("", err)
	}
	for _, id := range ids {
		if after != "" && id >= after {
			continue
		}
		if err := ctx.Err(); err != nil {
			return page, err
		}
		dir, info, err := openItem(trash, id)
		if IsCode(err, CodeNotFound) {
			continue
		}
		if err != nil {
			return page, diskError("", err)
		}
		dir.Close()
		if len(page.Items) == limit {
			page.Next = page.Items[limit-1].ID
			return page, nil
		}
		page.Items = append(page.Items, info.item(id))
	}
	return page, nil
}

// trashIDs are the names in a trash, the last one first: ids are made of the time.
func trashIDs(trash *os.Root) ([]string, error) {
	dir, err := trash.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(b, a) })
	return names, nil
}

// Purge implements Trashed.
func (l *Local) Purge(ctx context.Context, id string) error {
	trash, missing, err := l.openTrash(false)
	if err != nil {
		return diskError("", err)
	}
	if missing {
		return noItem(id)
	}
	defer trash.Close()
	dir, info, err := openItem(trash, id)
	if err != nil {
		return diskError("", err)
	}
	dir.Close()
	if err := removeTree(ctx, trash, id); err != nil {
		l.usage.forget() // some of it is gone, nobody knows how much
		return diskError("", err)
	}
	l.usage.add(change{-info.counted(), -info.Size})
	return nil
}
