package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Restore implements Trashed.
func (l *Local) Restore(ctx context.Context, id, to string) (Entry, error) {
	trash, missing, err := l.openTrash(false)
	if err != nil {
		return Entry{}, diskError("", err)
	}
	if missing {
		return Entry{}, noItem(id)
	}
	defer trash.Close()
	item, info, err := openItem(trash, id)
	if err != nil {
		return Entry{}, diskError("", err)
	}
	defer item.Close()
	if to == "" {
		to = string(info.Path)
	}
	if limits := l.limits(); info.Kind == TypeFile && limits.TooLarge(info.Size) {
		return Entry{}, limits.TooLargeError(to)
	}
	for range maxSwaps {
		entry, err := l.restoreOnce(ctx, item, to)
		if errors.Is(err, errSwapped) {
			continue
		}
		if err == nil {
			// Without its item it is in no list; a sweep takes what stays.
			_ = removeTree(context.WithoutCancel(ctx), trash, id)
		}
		return entry, diskError(to, err)
	}
	return Entry{}, swappedError(to)
}

func (l *Local) restoreOnce(ctx context.Context, item *os.Root, to string) (Entry, error) {
	target, err := l.resolve(ctx, to, how{parents: true})
	if err != nil {
		return Entry{}, err
	}
	defer target.close()
	err = l.restoreTo(ctx, item, target, to)
	if err != nil {
		l.unmake(target.made)
		return Entry{}, err
	}
	info, err := target.dir.Lstat(target.name)
	if err != nil {
		return Entry{}, err
	}
	return entryOf(target.path, info), nil
}

func (l *Local) restoreTo(ctx context.Context, item *os.Root, target *place, to string) error {
	exists := Errorf(CodeAlreadyExists, to,
		"something is there already: say another path to restore to, or move it away first")
	if target.info != nil {
		return exists
	}
	release, err := lockPlace(ctx, target)
	if err != nil {
		return err
	}
	defer release()
	err = renameNew(item, trashItemName, target.dir, target.name)
	if errors.Is(err, syscall.EXDEV) {
		err = copyFromTrash(ctx, item, target)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return exists
	case errors.Is(err, fs.ErrNotExist):
		if _, gone := item.Lstat(trashItemName); gone != nil {
			return Errorf(CodeNotFound, "", "the item is not in the trash any more")
		}
		return errSwapped // the directory was deleted meanwhile
	}
	return err
}

// copyFromTrash restores across file systems: under a name of the server's own
// first, so that nobody sees half of it.
func copyFromTrash(ctx context.Context, item *os.Root, target *place) error {
	part := tempPrefix + randomName()
	err := copyTree(ctx, item, trashItemName, target.dir, part)
	if err == nil {
		err = renameNew(target.dir, part, target.dir, target.name)
	}
	if err != nil {
		// What cannot be removed now is hidden, and a listing removes it later.
		_ = removeTree(context.WithoutCancel(ctx), target.dir, part)
		return err
	}
	return removeTree(ctx, item, trashItemName)
}
