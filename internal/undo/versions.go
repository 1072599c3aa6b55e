package undo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"
)

// versions are kept contents, each in a file that is named by its hash: the same
// content is there once.
type versions struct {
	dir string
	mu  sync.Mutex // between looking at an old version and using or removing it
}

// etagOf is what a name must look like: 128 bits of a SHA-256, in hex, which is
// also the ETag of a file of that content.
var etagOf = regexp.MustCompile(`^[0-9a-f]{32}$`)

func (v *versions) path(etag string) string { return filepath.Join(v.dir, etag[:2], etag) }

func (v *versions) has(etag string) bool {
	if !etagOf.MatchString(etag) {
		return false
	}
	_, err := os.Lstat(v.path(etag))
	return err == nil
}

// touch is has for a content that is about to be needed: no sweep takes it soon.
func (v *versions) touch(etag string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	return v.has(etag) && os.Chtimes(v.path(etag), now, now) == nil
}

// errOverLimit says that a content is longer than it may be.
var errOverLimit = errors.New("the file is larger than the limit")

// keep stores a content of at most limit bytes and returns its hash.
func (v *versions) keep(content io.Reader, limit int64) (etag string, size int64, err error) {
	if err := os.MkdirAll(v.dir, 0o700); err != nil {
		return "", 0, fmt.Errorf("make the place of kept versions: %w", err)
	}
	f, err := os.CreateTemp(v.dir, partPrefix+"*")
	if err != nil {
		return "", 0, fmt.Errorf("keep a version: %w", err)
	}
	defer os.Remove(f.Name()) // after the rename there is no such file
	h := sha256.New()
	size, err = io.Copy(io.MultiWriter(f, h), io.LimitReader(content, limit+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", 0, fmt.Errorf("keep a version: %w", err)
	}
	if size > limit {
		return "", 0, errOverLimit
	}
	etag = hex.EncodeToString(h.Sum(nil)[:16])
	if err := os.MkdirAll(filepath.Dir(v.path(etag)), 0o700); err != nil {
		return "", 0, fmt.Errorf("keep a version: %w", err)
	}
	if err := os.Rename(f.Name(), v.path(etag)); err != nil {
		return "", 0, fmt.Errorf("keep a version: %w", err)
	}
	return etag, size, nil
}

// partPrefix begins the names of versions that are being written.
const partPrefix = "part-"

func (v *versions) open(etag string) (*os.File, error) {
	if !etagOf.MatchString(etag) {
		return nil, fs.ErrNotExist
	}
	return os.Open(v.path(etag))
}

// sweep removes versions that nobody uses and that are older than young: a run may
// be about to note that it needs them.
func (v *versions) sweep(ctx context.Context, young time.Duration, uses func(ctx context.Context, etag string) (bool,
	error)) (removed int64, err error) {
	err = filepath.WalkDir(v.dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && entry.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		info, err := entry.Info()
		if err != nil || time.Since(info.ModTime()) < young {
			return nil
		}
		if used, err := uses(ctx, entry.Name()); err != nil || used {
			return err
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		removed++
		return nil
	})
	if err != nil {
		return removed, fmt.Errorf("sweep kept versions: %w", err)
	}
	return removed, nil
}
