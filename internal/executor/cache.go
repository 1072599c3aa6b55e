package executor

import (
	"crypto/sha256"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

// cacheBytes bounds the results that are kept.
const cacheBytes = 32 << 20

// callKey stands for a tool with its arguments in one scope.
type callKey [sha256.Size]byte

// keyOf makes a key. Names and scopes never hold the separator byte 0, which
// keeps (a, bc) and (ab, c) apart.
func keyOf(scope, tool string, canonical []byte) callKey {
	text := make([]byte, 0, len(scope)+len(tool)+len(canonical)+2)
	text = append(append(text, scope...), 0)
	text = append(append(text, tool...), 0)
	return sha256.Sum256(append(text, canonical...))
}

// cachedResult is a successful result, encoded, redacted and truncated.
type cachedResult struct {
	result      string
	stamp       string // of what was read, taken before it was read
	outputLimit int    // that it was cut at
	generation  uint64 // of the cache, when the batch began that it comes from
	storedAt    time.Time
}

// resultCache keeps results until they are too old, do not fit any longer, or
// what they read has changed. It decides on age when it is asked, since the TTL
// may change at any time; what is too old and never asked for again leaves when
// room is needed.
type resultCache struct {
	results    *otter.Cache[callKey, cachedResult]
	generation atomic.Uint64 // grows when the cache is cleared: what was made before does not count
}

func newResultCache() *resultCache {
	return &resultCache{results: otter.Must(&otter.Options[callKey, cachedResult]{
		MaximumWeight: cacheBytes,
		Weigher: func(_ callKey, r cachedResult) uint32 {
			return uint32(min(len(r.result)+len(r.stamp), cacheBytes)) + 200 // 200: the entry itself
		},
		Executor: func(maintain func()) { maintain() }, // no goroutines of its own
	})}
}

// get finds a result that is not older than ttl, was cut at the same limit, and
// saw the version of the world that stamp stands for.
func (c *resultCache) get(key callKey, stamp string, outputLimit int, ttl time.Duration) (string, bool) {
	found, ok := c.results.GetIfPresent(key)
	if !ok {
		return "", false
	}
	if time.Since(found.storedAt) >= ttl || found.stamp != stamp || found.outputLimit != outputLimit ||
		found.generation != c.generation.Load() {
		c.results.Invalidate(key)
		return "", false
	}
	return found.result, true
}

func (c *resultCache) put(key callKey, result cachedResult) {
	result.storedAt = time.Now()
	c.results.Set(key, result)
}

func (c *resultCache) clear() {
	c.generation.Add(1)
	c.results.InvalidateAll()
}
