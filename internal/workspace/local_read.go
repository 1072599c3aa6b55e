package workspace

import (
	"context"
	"errors"
	"io"
)

// Stat implements Filesystem.
func (l *Local) Stat(ctx context.Context, path string) (Entry, error) {
	found, err := l.resolve(ctx, path, how{follow: true})
	if err != nil {
		return Entry{}, err
	}
	defer found.close()
	if found.info == nil {
		return Entry{}, Errorf(CodeNotFound, path, "there is no such file or directory")
	}
	cleaned, err := CleanPath(path)
	if err != nil {
		return Entry{}, err
	}
	return entryOf(cleaned, found.info), nil
}

// Exists implements Filesystem.
func (l *Local) Exists(ctx context.Context, path string) (bool, error) {
	_, err := l.Stat(ctx, path)
	if IsCode(err, CodeNotFound) || IsCode(err, CodeNotADirectory) {
		return false, nil
	}
	return err == nil, err
}

// Read implements Filesystem.
func (l *Local) Read(ctx context.Context, path string, offset, limit int64) (Content, error) {
	if offset < 0 || limit < 0 {
		return Content{}, Errorf(CodeInvalidArgument, path, "offset and limit must not be negative")
	}
	f, info, err := l.openFile(ctx, path)
	if err != nil {
		return Content{}, err
	}
	defer f.Close()
	size := info.Size()
	length := max(0, size-offset)
	if limit > 0 {
		length = min(length, limit)
	} else if limits := l.limits(); limits.TooLarge(size) {
		return Content{}, limits.TooLargeError(path)
	}
	data := make([]byte, length)
	n, err := io.ReadFull(contextReader{ctx, io.NewSectionReader(f, offset, length)}, data)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Content{}, diskError(path, err)
	}
	return Content{Data: data[:n], Offset: offset, Size: size}, nil
}

// Download implements Filesystem. The reader is an *os.File.
func (l *Local) Download(ctx context.Context, path string) (io.ReadCloser, Entry, error) {
	f, info, err := l.openFile(ctx, path)
	if err != nil {
		return nil, Entry{}, err
	}
	etag, err := fileETag(ctx, f)
	if err != nil {
		f.Close()
		return nil, Entry{}, diskError(path, err)
	}
	cleaned, err := CleanPath(path)
	if err != nil {
		f.Close()
		return nil, Entry{}, err
	}
	entry := entryOf(cleaned, info)
	entry.ETag = etag
	return f, entry, nil
}
