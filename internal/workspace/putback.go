package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/google/uuid"
)

// KeepCopy puts a copy of a file into the trash and leaves the file alone; it
// returns the item's id. Without a trash it does nothing.
func (l *Local) KeepCopy(ctx context.Context, name string, actor Actor) (id string, err error) {
	if l.trash == "" {
		return "", nil
	}
	found, err := l.resolve(ctx, name, how{})
	if err != nil {
		return "", err
	}
	defer found.close()
	if found.info == nil {
		return "", Errorf(CodeNotFound, name, "there is no such file")
	}
	size := sizeOf(found.info)
	trash, _, err := l.openTrash(true)
	if err != nil {
		return "", diskError("", err)
	}
	defer trash.Close()
	undo, err := l.reserve(ctx, name, size)
	if err != nil {
		return "", err
	}
	id = uuid.Must(uuid.NewV7()).String()
	err = trash.Mkdir(id, trashDirMode)
	if err == nil {
		err = l.fillCopy(ctx, found, trash, id, trashInfo{
			Path: []byte(found.path), Kind: typeOf(found.info.Mode()), Size: size.bytes, Files: size.files,
			DeletedAt: time.Now().UTC().Truncate(time.Microsecond), DeletedBy: actor.UserID, RunID: actor.RunID,
		})
	}
	if err != nil {
		undo()
		// What cannot be removed now is swept later.
		_ = removeTree(context.WithoutCancel(ctx), trash, id)
		return "", diskError(name, err)
	}
	return id, nil
}

func (l *Local) fillCopy(ctx context.Context, found *place, trash *os.Root, id string, info trashInfo) error {
	item, err := trash.OpenRoot(id)
	if err != nil {
		return err
	}
	defer item.Close()
	if err := writeTrashInfo(item, info); err != nil {
		return err
	}
	if err := copyTree(ctx, found.dir, found.name, item, trashPartName); err != nil {
		return err
	}
	return item.Rename(trashPartName, trashItemName)
}

// PutLink makes a symbolic link where nothing is, with its parents, and leads
// nowhere itself: the target is text, which every later call judges anew.
func (l *Local) PutLink(ctx context.Context, name, target string) error {
	for range maxSwaps {
		err := l.putLinkOnce(ctx, name, target)
		if !errors.Is(err, errSwapped) {
			return diskError(name, err)
		}
	}
	return swappedError(name)
}

func (l *Local) putLinkOnce(ctx context.Context, name, target string) error {
	found, err := l.resolve(ctx, name, how{parents: true})
	if err != nil {
		return err
	}
	defer found.close()
	if found.info != nil {
		return Errorf(CodeAlreadyExists, name, "something is there already")
	}
	err = found.dir.Symlink(target, found.name)
	if errors.Is(err, fs.ErrNotExist) {
		return errSwapped
	}
	return err
}

// RemoveEmptyDir removes a directory that holds nothing; one that holds something
// is already_exists.
func (l *Local) RemoveEmptyDir(ctx context.Context, name string) error {
	found, err := l.resolve(ctx, name, how{})
	if err != nil {
		return err
	}
	defer found.close()
	if found.isRoot() || found.info == nil || !found.info.IsDir() {
		return Errorf(CodeNotADirectory, name, "it is not a directory")
	}
	return diskError(name, removeEmptyDir(found.dir, found.name))
}
