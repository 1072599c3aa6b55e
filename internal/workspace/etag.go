package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"sync"
	"time"
)

// settleTime is how long a file must have been left alone before its metadata
// stands for its content: two changes within one tick of the disk's clock, of
// equal size, leave the same metadata.
const settleTime = 2 * time.Second

// NewETag returns the hash that ETags are made of.
func NewETag() hash.Hash { return sha256.New() }

// ETagText is the ETag of a finished hash: 128 bits of it, in hex.
func ETagText(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:16]) }

// version is a file's metadata that changes with its content, once it has settled.
type version struct {
	dev, ino          uint64
	size              int64
	modified, changed int64 // ns
}

func versionOf(info os.FileInfo) version {
	node := inodeOf(info)
	return version{node.dev, node.ino, info.Size(), info.ModTime().UnixNano(), node.changed.UnixNano()}
}

func (v version) settled(now time.Time) bool {
	return now.UnixNano()-max(v.modified, v.changed) > int64(settleTime)
}

// etags remembers the hashes of settled files, so that a file is read once for
// many conditional requests and cache checks.
var etags = etagMemo{known: make(map[version]string)}

type etagMemo struct {
	mu    sync.Mutex
	known map[version]string
}

const maxKnownETags = 8192

func (m *etagMemo) get(v version) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	etag, ok := m.known[v]
	return etag, ok
}

func (m *etagMemo) put(v version, etag string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) >= maxKnownETags {
		clear(m.known)
	}
	m.known[v] = etag
}

// fileETag hashes an open file from its start and leaves its offset at the start.
func fileETag(ctx context.Context, f *os.File) (string, error) {
	before, err := f.Stat()
	if err != nil {
		return "", err
	}
	v := versionOf(before)
	settled := v.settled(time.Now())
	if settled {
		if etag, ok := etags.get(v); ok {
			return etag, nil
		}
	}
	h := NewETag()
	if _, err := io.Copy(h, contextReader{ctx, f}); err != nil {
		return "", err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	etag := ETagText(h)
	if after, err := f.Stat(); err == nil && settled && versionOf(after) == v {
		etags.put(v, etag)
	}
	return etag, nil
}

// contextReader ends a long copy when the context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
