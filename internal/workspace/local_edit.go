package workspace

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// Append implements Filesystem. It writes the file anew, so that a reader never
// sees half of what is appended.
func (l *Local) Append(ctx context.Context, path string, data []byte) (Written, error) {
	return l.Edit(ctx, path, true, func(old []byte) ([]byte, error) {
		return append(old, data...), nil
	})
}

// Edit implements Filesystem. The file is locked against other edits and writes
// of this process while change runs; change must not touch the same file.
func (l *Local) Edit(ctx context.Context, path string, create bool, change func(old []byte) ([]byte,
	error)) (Written, error) {
	for range maxSwaps {
		target, err := l.openEdited(ctx, path, create)
		if err != nil {
			return Written{}, err
		}
		written, err := l.editAt(ctx, target, path, create, change)
		target.close()
		if err != nil {
			l.unmake(target.made)
		}
		if !errors.Is(err, errSwapped) {
			return written, diskError(path, err)
		}
	}
	return Written{}, swappedError(path)
}

func (l *Local) openEdited(ctx context.Context, path string, create bool) (*place, error) {
	if create {
		return l.openTarget(ctx, path)
	}
	target, err := l.resolve(ctx, path, how{follow: true})
	if err != nil {
		return nil, err
	}
	if target.info == nil {
		target.close()
		return nil, Errorf(CodeNotFound, path, "there is no such file")
	}
	if err := readable(path, target.info); err != nil {
		target.close()
		return nil, err
	}
	return target, nil
}

func (l *Local) editAt(ctx context.Context, target *place, path string, create bool, change func([]byte) ([]byte,
	error)) (Written, error) {
	release, err := lockPlace(ctx, target)
	if err != nil {
		return Written{}, err
	}
	defer release()
	if err := target.refresh(path); err != nil {
		return Written{}, err
	}
	if target.info == nil && !create {
		return Written{}, Errorf(CodeNotFound, path, "there is no such file")
	}
	old, err := l.wholeFile(ctx, target, path)
	if err != nil {
		return Written{}, err
	}
	next, err := change(old)
	if err != nil {
		return Written{}, &callerError{err}
	}
	staged, err := l.stage(ctx, target, path, bytes.NewReader(next))
	if err != nil {
		return Written{}, err
	}
	defer staged.discard()
	return l.commit(ctx, target, path, staged)
}

// wholeFile reads the place into memory: nil when nothing is there.
func (l *Local) wholeFile(ctx context.Context, p *place, path string) ([]byte, error) {
	if p.info == nil {
		return nil, nil
	}
	f, info, err := p.openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if limits := l.limits(); limits.TooLarge(info.Size()) {
		return nil, limits.TooLargeError(path)
	}
	data, err := io.ReadAll(contextReader{ctx, f})
	if data == nil {
		data = []byte{}
	}
	return data, err
}
