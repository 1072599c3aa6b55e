package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// waitElsewhere keeps a file in a temporary file of this machine until its batch is
// whole.
func (b *Batch) waitElsewhere(ctx context.Context, name string, r io.Reader) error {
	cleaned, err := CleanPath(name)
	if err != nil {
		return err
	}
	there, err := b.files.Exists(ctx, name)
	if err != nil {
		return err
	}
	if there || b.names[cleaned] {
		b.conflicts = append(b.conflicts, name)
		return nil
	}
	b.names[cleaned] = true
	if len(b.conflicts) > 0 {
		return nil // nothing will be stored: what is left is looked at for conflicts alone
	}
	spool, err := os.CreateTemp("", "nanoclaw-upload-")
	if err != nil {
		return diskError(name, err)
	}
	// Without a name it is gone when the process is.
	if err := os.Remove(spool.Name()); err != nil {
		return errors.Join(diskError(name, err), spool.Close())
	}
	size, err := io.Copy(spool, contextReader{ctx, r})
	if err != nil {
		return errors.Join(err, spool.Close())
	}
	b.waiting = append(b.waiting, waitingFile{path: name, size: size, spool: spool})
	return nil
}

// commitElsewhere writes the files of a batch one by one, and removes those that it
// wrote where one of them fails.
func (b *Batch) commitElsewhere(ctx context.Context) ([]Written, error) {
	for _, one := range b.waiting {
		err := rewound(one.spool)
		if err == nil {
			err = b.upload(ctx, one.path, one.spool, WriteOptions{IfNoneMatch: true})
		}
		if err != nil {
			return nil, errors.Join(err, b.takeBack(context.WithoutCancel(ctx)))
		}
	}
	return b.written, nil
}

func rewound(spool *os.File) error {
	_, err := spool.Seek(0, io.SeekStart)
	return err
}

func (b *Batch) takeBack(ctx context.Context) (failed error) {
	for _, one := range b.written {
		err := b.files.Delete(ctx, one.Path, DeleteOptions{Permanent: true, IfMatch: one.ETag})
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("take back %q: %w", one.Path, err))
		}
	}
	b.written = nil
	return failed
}
