package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/google/uuid"
)

// toTrash moves what is at a place into the trash. size is what it counts for in
// the project's quota, which it goes on doing.
func (l *Local) toTrash(ctx context.Context, target *place, size census, actor Actor) error {
	return l.intoTrash(ctx, target, size, actor, func(item *os.Root) error {
		err := renameNew(target.dir, target.name, item, trashItemName)
		if errors.Is(err, syscall.EXDEV) {
			err = l.copyToTrash(ctx, target, item)
		}
		return err
	})
}

// intoTrash makes an item of the trash for what is at a place; move brings it there.
func (l *Local) intoTrash(ctx context.Context, target *place, size census, actor Actor,
	move func(item *os.Root) error) error {
	trash, _, err := l.openTrash(true)
	if err != nil {
		return err
	}
	defer trash.Close()
	id := uuid.Must(uuid.NewV7()).String()
	if err := trash.Mkdir(id, trashDirMode); err != nil {
		return err
	}
	item, err := trash.OpenRoot(id)
	if err != nil {
		return err
	}
	defer item.Close()
	err = writeTrashInfo(item, trashInfo{
		Path: []byte(target.path), Kind: typeOf(target.info.Mode()), Size: size.bytes, Files: size.files + size.ignored,
		Ignored:   size.ignored,
		DeletedAt: time.Now().UTC().Truncate(time.Microsecond), DeletedBy: actor.UserID, RunID: actor.RunID,
	})
	if err == nil {
		err = move(item)
	}
	if err == nil {
		return nil
	}
	if _, there := item.Lstat(trashItemName); there != nil {
		// What cannot be removed now is swept later.
		_ = removeTree(context.WithoutCancel(ctx), trash, id)
	}
	return err
}

func writeTrashInfo(item *os.Root, info trashInfo) error {
	text, err := json.Marshal(info)
	if err != nil {
		return err
	}
	return item.WriteFile(trashInfoName, text, 0o600)
}

// copyToTrash is the way to a trash on another file system. The original is
// removed when the whole copy is in its place. What copyTree leaves out is not kept.
func (l *Local) copyToTrash(ctx context.Context, target *place, item *os.Root) error {
	if err := copyTree(ctx, target.dir, target.name, item, trashPartName); err != nil {
		return err
	}
	if err := item.Rename(trashPartName, trashItemName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := removeTree(ctx, target.dir, target.name); err != nil {
		l.usage.forget() // some of it is in both places
		return err
	}
	return nil
}
