package workspace

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"time"
)

// Stamp implements Filesystem. A file's stamp is its content's hash. A tree's is
// made of metadata, with the content of files so young that their metadata
// cannot be trusted yet.
func (l *Local) Stamp(ctx context.Context, path string, recursive bool) (string, error) {
	found, err := l.resolve(ctx, path, how{follow: true})
	if IsCode(err, CodeNotFound) || IsCode(err, CodeNotADirectory) {
		return "missing", nil
	}
	if err != nil {
		return "", err
	}
	defer found.close()
	switch {
	case found.info == nil:
		return "missing", nil
	case found.info.IsDir():
		return l.stampDir(ctx, path, recursive)
	case !found.info.Mode().IsRegular():
		return "other", nil
	}
	f, _, err := l.openFile(ctx, path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	etag, err := fileETag(ctx, f)
	return etag, diskError(path, err)
}

func (l *Local) stampDir(ctx context.Context, path string, recursive bool) (string, error) {
	dir, start, err := l.openDirAt(ctx, path)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	h := NewETag()
	now := time.Now()
	limits := l.limits()
	walk := walkOptions{base: start, flat: true}
	if recursive {
		walk = l.walkOptions(ctx, start)
	}
	err = walkTree(ctx, dir, walk, func(e treeEntry) error {
		stampEntry(h, e)
		young := recursive && !versionOf(e.info).settled(now)
		_, denied := limits.denies(joinPath(start, e.path))
		if !young || denied || limits.TooLarge(e.info.Size()) || readable(e.path, e.info) != nil {
			return nil
		}
		return stampContent(ctx, h, e)
	})
	if err != nil {
		return "", diskError(path, err)
	}
	return ETagText(h), nil
}

func stampEntry(h hash.Hash, e treeEntry) {
	v := versionOf(e.info)
	fmt.Fprintf(h, "%q %v %d %d %d %d\n", e.path, e.info.Mode(), v.ino, v.size, v.modified, v.changed)
}

func stampContent(ctx context.Context, h hash.Hash, e treeEntry) error {
	f, _, err := openSame(e.dir, e.name, e.info, e.path)
	if err != nil {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return Errorf(CodeInternal, e.path, "the file changed while its stamp was made")
	}
	defer f.Close()
	etag, err := fileETag(ctx, f)
	if err != nil {
		return err
	}
	fmt.Fprintln(h, etag)
	return nil
}
