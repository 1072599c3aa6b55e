package executor

import (
	"context"
	"sync"
)

// keyedLock is one lock per key. The zero value is ready for use; a key that
// nobody holds or waits for takes no memory.
type keyedLock struct {
	mu    sync.Mutex
	locks map[string]*countedLock
}

type countedLock struct {
	held  chan struct{} // full while the lock is held
	users int           // holder and waiters
}

// lock waits for the key's lock, or for the end of ctx, which is an error.
func (l *keyedLock) lock(ctx context.Context, key string) (unlock func(), err error) {
	l.mu.Lock()
	if l.locks == nil {
		l.locks = map[string]*countedLock{}
	}
	own := l.locks[key]
	if own == nil {
		own = &countedLock{held: make(chan struct{}, 1)}
		l.locks[key] = own
	}
	own.users++
	l.mu.Unlock()

	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if own.users--; own.users == 0 {
			delete(l.locks, key)
		}
	}
	select {
	case own.held <- struct{}{}:
		return func() { <-own.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}
