package shell

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Sessions keeps one session for each key. It closes those that nobody uses.
// Close must be called.
type Sessions struct {
	mu      sync.Mutex
	open    map[string]*entry
	closed  bool
	closing sync.WaitGroup
}

type entry struct {
	session *Session
	version string
	users   int
	idle    *time.Timer // nil while it is used
}

// NewSessions makes an empty set of sessions.
func NewSessions() *Sessions { return &Sessions{open: map[string]*entry{}} }

// Use lends the session of a key for one call of do. A session that was made
// under another version of the settings is closed and made anew. When nobody uses
// it for the time idle it is closed.
func (m *Sessions) Use(ctx context.Context, key, version string, idle time.Duration, settings func() Settings,
	do func(*Session) error) error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return ErrClosed
	}
	e := m.open[key]
	if e != nil && e.version != version && e.users == 0 {
		m.discard(key, e)
		e = nil
	}
	if e == nil {
		e = &entry{session: NewSession(settings()), version: version}
		m.open[key] = e
	}
	if e.idle != nil {
		e.idle.Stop()
		e.idle = nil
	}
	e.users++
	m.mu.Unlock()

	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		e.users--
		if e.users == 0 && !m.closed && m.open[key] == e {
			e.idle = time.AfterFunc(idle, func() { m.expire(key, e) })
		}
	}()
	return do(e.session)
}

// expire closes a session that nobody used for long enough.
func (m *Sessions) expire(key string, e *entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open[key] == e && e.users == 0 && !m.closed {
		m.discard(key, e)
	}
}

// discard closes a session in the background; Close waits for it.
func (m *Sessions) discard(key string, e *entry) {
	delete(m.open, key)
	if e.idle != nil {
		e.idle.Stop()
	}
	m.closing.Add(1)
	go func() {
		defer m.closing.Done()
		_ = e.session.Close(context.Background()) // it only fails to remove a temporary directory
	}()
}

// End closes the sessions of the keys that match, and waits until nothing of them
// is left or ctx ends. One that is in use is closed when its command ends.
func (m *Sessions) End(ctx context.Context, matches func(key string) bool) error {
	m.mu.Lock()
	var ending []*entry
	for key, e := range m.open {
		if !matches(key) {
			continue
		}
		delete(m.open, key)
		if e.idle != nil {
			e.idle.Stop()
		}
		ending = append(ending, e)
		m.closing.Add(1)
	}
	m.mu.Unlock()
	failures := make(chan error, len(ending))
	for _, e := range ending {
		go func() {
			defer m.closing.Done()
			failures <- e.session.Close(context.WithoutCancel(ctx))
		}()
	}
	var err error
	for range ending {
		select {
		case failure := <-failures:
			err = errors.Join(err, failure)
		case <-ctx.Done():
			return ctx.Err() // the rest ends in the background
		}
	}
	return err
}

// Has says whether there is a session of a key.
func (m *Sessions) Has(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open[key] != nil
}

// Count is how many sessions are open.
func (m *Sessions) Count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.open)
}

// Close closes all sessions at the same time. What does not end until ctx does
// is killed.
func (m *Sessions) Close(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	open := m.open
	m.open = map[string]*entry{}
	m.mu.Unlock()
	failures := make(chan error, len(open))
	for _, e := range open {
		if e.idle != nil {
			e.idle.Stop()
		}
		go func() { failures <- e.session.Close(ctx) }()
	}
	var err error
	for range open {
		err = errors.Join(err, <-failures)
	}
	m.closing.Wait()
	return err
}
