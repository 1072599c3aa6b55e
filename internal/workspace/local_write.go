package workspace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
)

// Write implements Filesystem.
func (l *Local) Write(ctx context.Context, path string, data []byte, opts WriteOptions) (Written, error) {
	if limits := l.limits(); limits.TooLarge(int64(len(data))) {
		return Written{}, limits.TooLargeError(path)
	}
	return l.Upload(ctx, path, bytes.NewReader(data), opts)
}

// Upload implements Filesystem. The stream is written beside the file first, so
// that a slow sender keeps nobody from the file.
func (l *Local) Upload(ctx context.Context, path string, r io.Reader, opts WriteOptions) (Written, error) {
	for range maxSwaps {
		target, err := l.openTarget(ctx, path)
		if err != nil {
			return Written{}, err
		}
		written, err := l.uploadTo(ctx, target, path, r, opts)
		target.close()
		if err != nil {
			l.unmake(target.made)
		}
		if !errors.Is(err, errSwapped) || !rewind(r) {
			return written, diskError(path, err)
		}
	}
	return Written{}, swappedError(path)
}

// rewind makes a stream ready to be read again, where it can be.
func rewind(r io.Reader) bool {
	seeker, ok := r.(io.Seeker)
	if !ok {
		return false
	}
	_, err := seeker.Seek(0, io.SeekStart)
	return err == nil
}

func (l *Local) uploadTo(ctx context.Context, target *place, path string, r io.Reader,
	opts WriteOptions) (Written, error) {
	// Both are checked again under the lock; here they spare the stream.
	if err := expect(ctx, target, path, opts); err != nil {
		return Written{}, err
	}
	staged, err := l.stage(ctx, target, path, r)
	if err != nil {
		return Written{}, err
	}
	defer staged.discard()
	staged.mode, staged.keep = fs.FileMode(opts.Mode).Perm(), opts.Keep
	release, err := lockPlace(ctx, target)
	if err != nil {
		return Written{}, err
	}
	defer release()
	if err := target.refresh(path); err != nil {
		return Written{}, err
	}
	if err := expect(ctx, target, path, opts); err != nil {
		return Written{}, err
	}
	written, err := l.commit(ctx, target, path, staged)
	if opts.IfNoneMatch && errors.Is(err, errSwapped) {
		err = Errorf(CodeAlreadyExists, path, "the file exists already")
	}
	return written, err
}

// openTarget finds the place that a write goes to, makes its parents, and
// refuses what is no ordinary file.
func (l *Local) openTarget(ctx context.Context, path string) (*place, error) {
	target, err := l.resolve(ctx, path, how{follow: true, parents: true})
	if err != nil {
		return nil, err
	}
	if target.isRoot() {
		target.close()
		return nil, Errorf(CodeNotAFile, path, "it is the project's root directory, not a file")
	}
	if target.info != nil {
		err = readable(path, target.info)
	} else if strings.HasSuffix(path, "/") {
		err = Errorf(CodeInvalidArgument, path, "the path ends in a slash, so it does not name a file")
	}
	if err != nil {
		target.close()
		l.unmake(target.made)
		return nil, err
	}
	return target, nil
}

func lockPlace(ctx context.Context, p *place) (release func(), err error) {
	key, err := p.lockKey()
	if err != nil {
		return nil, err
	}
	return fileLocks.acquire(ctx, key)
}

// refresh looks at the place again, under its lock.
func (p *place) refresh(path string) error {
	info, err := p.dir.Lstat(p.name)
	if errors.Is(err, fs.ErrNotExist) {
		p.info = nil
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return errSwapped // it leads elsewhere now, perhaps to a place with another lock
	}
	p.info = info
	return readable(path, info)
}

// expect checks the conditions of a write against what is there.
func expect(ctx context.Context, p *place, path string, opts WriteOptions) error {
	if opts.IfNoneMatch && p.info != nil {
		return Errorf(CodeAlreadyExists, path, "the file exists already")
	}
	switch {
	case opts.IfMatch == "":
		return nil
	case p.info == nil:
		return Errorf(CodePreconditionFailed, path, "the file does not exist any more")
	case opts.IfMatch == "*":
		return nil
	}
	f, _, err := p.openFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	etag, err := fileETag(ctx, f)
	if err != nil {
		return err
	}
	if etag != opts.IfMatch {
		return Errorf(CodePreconditionFailed, path, "the file was changed meanwhile: read it again")
	}
	return nil
}
