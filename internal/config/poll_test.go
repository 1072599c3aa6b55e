package config

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// GR6: where no event tells of a change, as on network file systems, the file is looked at:
// what looks the same twice, so that nobody is writing it, is put in force.
func TestAChangeWithoutAnEventIsSeen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yml")
	if err := Save(path, []byte("max_iterations: 5\n")); err != nil {
		t.Fatal(err)
	}
	live, err := Open(Source{Path: path, Env: environment()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	deaf, err := fsnotify.NewWatcher() // it watches nothing
	if err != nil {
		t.Fatal(err)
	}
	changed := make(chan int, 1)
	live.Subscribe(func(_, next *Config) { changed <- next.MaxIterations })
	ctx, stop := context.WithCancel(t.Context())
	poll, done := make(chan time.Time), make(chan error, 1)
	go func() { done <- live.watch(ctx, deaf, poll) }()
	poll <- time.Time{}
	if err := Save(path, []byte("max_iterations: 17\n")); err != nil {
		t.Fatal(err)
	}
	poll <- time.Time{}
	poll <- time.Time{}
	if got := <-changed; got != 17 {
		t.Errorf("max_iterations is %d", got)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
