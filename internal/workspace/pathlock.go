package workspace

import (
	"context"
	"sync"
)

// lockKey names a place on the disk whatever path leads to it: two projects, or
// a link and its target, share the lock of one file.
type lockKey struct {
	dev, ino uint64 // of the directory
	name     string
}

// pathLocks orders the writes of this process, place by place.
type pathLocks struct {
	mu   sync.Mutex
	held map[lockKey]*pathLock
}

type pathLock struct {
	turn  chan struct{} // holds one token while nobody has the lock
	users int           // who has it or waits for it
}

var fileLocks = pathLocks{held: make(map[lockKey]*pathLock)}

// acquire waits for the lock of a place, or for the context to end.
func (l *pathLocks) acquire(ctx context.Context, key lockKey) (release func(), err error) {
	l.mu.Lock()
	lock, ok := l.held[key]
	if !ok {
		lock = &pathLock{turn: make(chan struct{}, 1)}
		lock.turn <- struct{}{}
		l.held[key] = lock
	}
	lock.users++
	l.mu.Unlock()

	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if lock.users--; lock.users == 0 {
			delete(l.held, key)
		}
	}
	select {
	case <-lock.turn:
		return func() { lock.turn <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
