package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"nanoclaw/internal/workspace"
)

const (
	smallContent    = 256 << 10       // up to here a content is a value, else an object
	largeMark       = "L"             // ends the ids of objects
	cachedBytes     = 64 << 20        // of small contents, in this process
	contentPatience = 3 * time.Second // a copy in a cluster may lag behind
	// commitWithin is how old a content may be when a journal names it: the collector
	// must not have taken it for garbage.
	commitWithin = 2 * time.Minute
)

// contents are bytes by id. They never change.
type contents struct {
	js    jetstream.JetStream
	names names
	small jetstream.KeyValue
	large jetstream.ObjectStore

	mu     sync.Mutex
	cache  map[string][]byte
	cached int
}

// stored is a content that was just put.
type stored struct {
	id     string
	size   int64
	etag   string
	binary bool
	at     time.Time
}

// bad says that a content is too old to be named: its process slept.
func (s stored) bad() bool { return time.Since(s.at.Round(0)) > commitWithin }

func openContents(ctx context.Context, js jetstream.JetStream, names names, copies int) (c *contents, err error) {
	c = &contents{js: js, names: names, cache: map[string][]byte{}}
	c.small, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: names.contents, Replicas: copies})
	if err != nil {
		return nil, fmt.Errorf("make the bucket %s: %w", names.contents, err)
	}
	c.large, err = js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: names.objects,
		Replicas: copies})
	if err != nil {
		return nil, fmt.Errorf("make the bucket %s: %w", names.objects, err)
	}
	return c, nil
}

// put stores what r delivers. permit is asked with the number of bytes as they come;
// its error, and r's, are returned as they are.
func (c *contents) put(ctx context.Context, r io.Reader, permit func(size int64) error) (stored, error) {
	in := &measured{ctx: ctx, r: r, hash: workspace.NewETag(), permit: permit}
	id, err := uuid.NewV7()
	if err != nil {
		return stored{}, err
	}
	out := stored{id: id.String()}
	head, err := io.ReadAll(io.LimitReader(in, smallContent+1))
	if err != nil {
		return stored{}, err
	}
	if len(head) <= smallContent {
		_, err = c.small.Create(ctx, out.id, head)
	} else {
		out.id += largeMark
		_, err = c.large.Put(ctx, jetstream.ObjectMeta{Name: out.id}, io.MultiReader(bytes.NewReader(head), in))
	}
	if in.err != nil {
		return stored{}, in.err
	}
	if err != nil {
		return stored{}, away("", err)
	}
	out.size, out.etag, out.binary, out.at = in.size, workspace.ETagText(in.hash), workspace.IsBinary(head), time.Now()
	return out, nil
}

// open returns a content. That of an object is checked while it is read: a reader that
// reaches io.EOF has got what was put.
func (c *contents) open(ctx context.Context, id string) (io.ReadCloser, error) {
	until := time.Now().Add(contentPatience)
	for pause := 10 * time.Millisecond; ; pause *= 2 {
		content, err := c.openOnce(ctx, id)
		missing := errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrObjectNotFound)
		if !missing || time.Now().After(until) {
			if missing {
				err = &workspace.Error{Code: workspace.CodeInternal, Err: err,
					Message: "the file's content is missing in the store: restore a backup"}
			}
			return content, away("", err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *contents) openOnce(ctx context.Context, id string) (io.ReadCloser, error) {
	if id[len(id)-1:] == largeMark {
		return c.large.Get(ctx, id)
	}
	c.mu.Lock()
	data, known := c.cache[id]
	c.mu.Unlock()
	if !known {
		entry, err := c.small.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		data = entry.Value()
		c.remember(id, data)
	}
	return memory{bytes.NewReader(data)}, nil
}

// memory is a content in memory. It can be sought in, as a file can.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

func (c *contents) remember(id string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cached += len(data); c.cached > cachedBytes {
		clear(c.cache)
		c.cached = len(data)
	}
	c.cache[id] = data
}

// remove deletes a content that nothing names.
func (c *contents) remove(ctx context.Context, id string) error {
	if id[len(id)-1:] == largeMark {
		err := c.large.Delete(ctx, id)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return nil
		}
		// The mark of the deletion goes as well.
		return errors.Join(err, c.purge(ctx, "OBJ_"+c.names.objects, c.objectMetaSubject(id)))
	}
	return c.purge(ctx, "KV_"+c.names.contents, "$KV."+c.names.contents+"."+id)
}

func (c *contents) purge(ctx context.Context, stream, subject string) error {
	s, err := c.js.Stream(ctx, stream)
	if err != nil {
		return err
	}
	return s.Purge(ctx, jetstream.WithPurgeSubject(subject))
}

// measured counts and hashes what is read, and remembers why it ended.
type measured struct {
	ctx    context.Context
	r      io.Reader
	hash   hash.Hash
	permit func(size int64) error // nil: any
	size   int64
	err    error // of r or permit
}

// Read implements io.Reader.
func (m *measured) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	if m.err = m.ctx.Err(); m.err != nil {
		return 0, m.err
	}
	n, err := m.r.Read(p)
	m.size += int64(n)
	m.hash.Write(p[:n])
	if m.permit != nil {
		if m.err = m.permit(m.size); m.err != nil {
			return 0, m.err
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}
