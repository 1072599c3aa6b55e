package executor

import (
	"sync"
	"time"
)

// pausableClock is a time limit that stands still while somebody waits for a
// person or for sub-agents.
type pausableClock struct {
	mu      sync.Mutex
	timer   *time.Timer // nil: no limit, or stopped
	left    time.Duration
	since   time.Time // when it last began to run
	pauses  int
	expired func()
}

// startClock calls expired when the limit is over. A limit of 0 or less never is.
func startClock(limit time.Duration, expired func()) *pausableClock {
	c := &pausableClock{left: limit, since: time.Now(), expired: expired}
	if limit > 0 {
		c.timer = time.AfterFunc(limit, expired)
	}
	return c
}

// pause stops the clock until resume is called. Pauses may overlap; calling
// resume again does nothing.
func (c *pausableClock) pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses++; c.pauses == 1 && c.timer != nil && c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
	return sync.OnceFunc(c.resume)
}

func (c *pausableClock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses--; c.pauses == 0 && c.timer != nil {
		c.since = time.Now()
		c.timer = time.AfterFunc(max(c.left, 0), c.expired)
	}
}

// stop ends the clock for good.
func (c *pausableClock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
}
