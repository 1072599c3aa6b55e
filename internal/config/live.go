package config

import (
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
)

// Live is the configuration in force. It replaces the whole Config when the
// source says something new and valid; what is invalid is kept out, and the old
// one stays. Safe for concurrent use.
type Live struct {
	source  Source
	fixed   bool
	log     *slog.Logger
	current atomic.Pointer[Config]

	// reloading makes one change at a time of many; it guards what was read.
	reloading sync.Mutex
	found     bool   // the file existed once: from then on it has to
	lastText  []byte // what was last read, in force or not; nil: nothing could be read

	lastSecrets []byte // what was last read of SecretsFile

	mu          sync.Mutex // guards what follows; never held while foreign code runs
	lastErr     error
	warnings    Warnings
	pending     []Change
	subscribers []*subscriber
}

type subscriber struct{ call func(old, new *Config) }

// Open loads the source. Its warnings are logged and kept; an invalid
// configuration is an error. A nil log is slog.Default.
func Open(source Source, log *slog.Logger) (*Live, error) {
	if log == nil {
		log = slog.Default()
	}
	l := &Live{source: source, log: log}
	data, source, found, err := l.readBoth()
	if err != nil {
		return nil, err
	}
	path, _ := source.File()
	c, warnings, err := source.Parse(data, path)
	if err != nil {
		return nil, err
	}
	l.found, l.lastText, l.lastSecrets, l.warnings = found, data, source.secrets.data, warnings
	l.current.Store(c)
	l.logWarnings()
	return l, nil
}

// Fixed is a Live without a file: it holds c until Replace. For tests and for
// programs that have no config.yml.
func Fixed(c *Config) *Live {
	l := &Live{fixed: true, log: slog.Default()}
	l.current.Store(c)
	return l
}

// Replace puts c in force as it is, keys that need a restart included, and tells
// the subscribers. It is how a program without a file changes its configuration.
func (l *Live) Replace(c *Config) {
	l.reloading.Lock()
	defer l.reloading.Unlock()
	l.apply(l.current.Load(), c)
}

// Current is the configuration in force. Take it once per piece of work, so that
// the work sees one configuration.
func (l *Live) Current() *Config { return l.current.Load() }

// File is the path of config.yml, which need not exist; empty: there is none.
func (l *Live) File() string {
	if l.fixed {
		return ""
	}
	path, _ := l.source.File()
	return path
}

// LastError is why the newest state of the file is not in force; nil when it is.
func (l *Live) LastError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastErr
}

// Warnings is what the file in force says that has no effect.
func (l *Live) Warnings() Warnings {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.warnings)
}

// PendingRestart is what the file says that will hold only after a restart.
func (l *Live) PendingRestart() []Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.pending)
}

// Subscribe calls f after every change of the configuration in force, one call
// at a time and in the order of the changes, until cancel is called. f must not
// call Reload or Replace; what it should do at the start, it does with Current.
func (l *Live) Subscribe(f func(old, new *Config)) (cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &subscriber{f}
	l.subscribers = append(l.subscribers, s)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.subscribers = slices.DeleteFunc(l.subscribers, func(x *subscriber) bool { return x == s })
	}
}

// Reload reads the source again, as SIGHUP asks for. What changed is logged, and
// so is an error, which is also answered and kept as LastError.
func (l *Live) Reload() error {
	l.reloading.Lock()
	defer l.reloading.Unlock()
	if l.fixed {
		return nil
	}
	return l.reload()
}

func (l *Live) reload() error {
	data, source, found, err := l.readBoth()
	if err != nil {
		l.lastText = nil
		return l.reject(err)
	}
	l.found, l.lastText, l.lastSecrets = l.found || found, data, source.secrets.data
	path, _ := source.File()
	loaded, warnings, err := source.Parse(data, path)
	if err != nil {
		return l.reject(err)
	}
	old := l.current.Load()
	next := *loaded
	keepRestartKeys(reflect.ValueOf(&next).Elem(), reflect.ValueOf(old).Elem())
	if problems := check(&next); len(problems) > 0 {
		return l.reject(fmt.Errorf("the file is valid, but only after a restart: %w", problems))
	}
	pending := Diff(&next, loaded)
	for _, c := range pending {
		l.log.Warn("configuration changed, in force after a restart", "key", c.Key, "from", c.From, "to", c.To)
	}
	l.mu.Lock()
	l.lastErr, l.warnings, l.pending = nil, warnings, pending
	l.mu.Unlock()
	l.logWarnings()
	l.apply(old, &next)
	return nil
}

// reject keeps the old configuration. An error that was already logged is not logged again.
func (l *Live) reject(err error) error {
	l.mu.Lock()
	logged := l.lastErr != nil && l.lastErr.Error() == err.Error()
	l.lastErr = err
	l.mu.Unlock()
	if !logged {
		l.log.Error("configuration kept as it was: the new one is invalid", "error", err.Error())
	}
	return err
}

func (l *Live) apply(old, next *Config) {
	changes := Diff(old, next)
	// A secret that is in force later, or that nothing refers to, is to be covered now.
	if len(changes) == 0 && slices.Equal(old.Secrets(), next.Secrets()) {
		return
	}
	for _, c := range changes {
		l.log.Info("configuration changed", "key", c.Key, "from", c.From, "to", c.To)
	}
	l.current.Store(next)
	l.mu.Lock()
	subscribers := slices.Clone(l.subscribers)
	l.mu.Unlock()
	for _, s := range subscribers {
		l.notify(s, old, next)
	}
}

// notify calls foreign code: its panic is logged and stops nobody else.
func (l *Live) notify(s *subscriber, old, next *Config) {
	defer func() {
		if r := recover(); r != nil {
			l.log.Error("a subscriber to the configuration panicked", "panic", r, "stack", string(debug.Stack()))
		}
	}()
	s.call(old, next)
}

func (l *Live) logWarnings() {
	for _, w := range l.Warnings() {
		l.log.Warn("configuration: " + w.String())
	}
}

// keepRestartKeys copies the keys that need a restart from old to next.
func keepRestartKeys(next, old reflect.Value) {
	for _, f := range fieldsOf(next.Type()).list {
		switch {
		case f.restart:
			next.Field(f.index).Set(old.Field(f.index))
		case f.typ.Kind() == reflect.Struct:
			keepRestartKeys(next.Field(f.index), old.Field(f.index))
		}
	}
}
