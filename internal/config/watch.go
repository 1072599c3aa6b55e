package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Quiet time after which a change of the file is read, and the longest wait for
// it: editors and copies write in several steps.
const (
	watchQuiet   = 100 * time.Millisecond
	watchLongest = time.Second
	// watchPoll is how often the file is looked at where no event comes, as on network
	// file systems. What looks the same twice is read: a change is in force within 5 s.
	watchPoll = 2 * time.Second
)

// Watch reloads when the file changes, until ctx ends. It watches the directory,
// so that a file that is replaced by rename, as editors do, is seen, and the
// directory of the target of a symbolic link. An error means that watching is
// not possible here or broke; Reload works all the same.
func (l *Live) Watch(ctx context.Context) error {
	w, err := l.newWatcher()
	if err != nil {
		return err
	}
	poll := time.NewTicker(watchPoll)
	defer poll.Stop()
	return l.watch(ctx, w, poll.C)
}

func (l *Live) newWatcher() (*fsnotify.Watcher, error) {
	if l.fixed {
		return nil, errors.New("watch configuration: there is no file")
	}
	path, _ := l.source.File()
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch configuration: %w", err)
	}
	dirs := []string{filepath.Dir(path)}
	if target, err := filepath.EvalSymlinks(path); err == nil && filepath.Dir(target) != dirs[0] {
		dirs = append(dirs, filepath.Dir(target))
	}
	for _, dir := range dirs {
		if err := w.Add(dir); err != nil {
			return nil, errors.Join(fmt.Errorf("watch configuration directory %q: %w", dir, err), w.Close())
		}
	}
	return w, nil
}

func (l *Live) watch(ctx context.Context, w *fsnotify.Watcher, poll <-chan time.Time) (err error) {
	defer func() { err = errors.Join(err, w.Close()) }()
	// A change between Open and here has no event of its own.
	l.reloadIfChanged()
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	var first time.Time // of the events that wait; zero: none
	read := l.look()
	before := read
	for {
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-w.Events:
			if !ok {
				return errors.New("watch configuration: the watcher ended")
			}
			now := time.Now()
			if first.IsZero() {
				first = now
			}
			timer.Reset(min(watchQuiet, first.Add(watchLongest).Sub(now)))
		case err, ok := <-w.Errors:
			if !ok {
				return errors.New("watch configuration: the watcher ended")
			}
			// Events were lost; the file tells what they would have told.
			l.log.Warn("watch configuration", "error", err)
			timer.Reset(watchQuiet)
		case <-poll:
			now := l.look()
			if now == before && now != read {
				read = now
				l.reloadIfChanged()
			}
			before = now
		case <-timer.C:
			first = time.Time{}
			l.reloadIfChanged()
		}
	}
}

// appearance is what the file and the one of its secrets show from outside.
type appearance [2]struct {
	size     int64
	modified time.Time
}

func (l *Live) look() (seen appearance) {
	path, _ := l.source.File()
	for i, file := range []string{path, SecretsFile(path)} {
		if info, err := os.Stat(file); err == nil {
			seen[i].size, seen[i].modified = info.Size(), info.ModTime()
		}
	}
	return seen
}

// reloadIfChanged leaves other files of the directory, and a touch, without effect.
func (l *Live) reloadIfChanged() {
	l.reloading.Lock()
	defer l.reloading.Unlock()
	data, _, err := l.read()
	if err == nil && bytes.Equal(data, l.lastText) {
		source, err := l.source.withSecrets()
		if err == nil && bytes.Equal(source.secrets.data, l.lastSecrets) {
			return
		}
	}
	// reload has logged the error and keeps it as LastError.
	_ = l.reload()
}

// readBoth is the text of the file, and the source with its secrets.
func (l *Live) readBoth() (data []byte, source Source, found bool, err error) {
	data, source, err = l.source.readBoth(func() ([]byte, error) {
		data, there, err := l.read()
		found = there
		return data, err
	})
	return data, source, found, err
}

// read is the text of the file. A file that was never there is empty; one that
// was, and is gone or empty now, is an error: it is being written, or a mistake,
// and not a wish for all the defaults.
func (l *Live) read() (data []byte, found bool, err error) {
	path, explicit := l.source.File()
	data, err = os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !explicit && !l.found:
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("read configuration: %w", err)
	case len(bytes.TrimSpace(data)) == 0 && l.found:
		return nil, false, fmt.Errorf("read configuration: %s is empty", path)
	}
	return data, true, nil
}
