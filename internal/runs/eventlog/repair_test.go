package eventlog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// works publishes an event and a job and waits until both arrive.
func works(t *testing.T, l *Log, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	sub, err := l.Subscribe(ctx, Filter{UserID: "u"}, Start{})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if err := l.Publish(ctx, Message{Subject: EventSubject("u", "c", "r"), Data: []byte(text)},
		Message{Subject: WorkSubject, Data: []byte(text)}); err != nil {
		t.Fatal(err)
	}
	for got := ""; got != text; { // what was published just before may still come
		event, err := sub.Next(ctx)
		if err != nil {
			t.Fatalf("after %q: %v", got, err)
		}
		got = string(event.Data)
	}
	working, done := context.WithCancel(ctx)
	defer done()
	acquire := func(ctx context.Context) func() {
		if ctx.Err() != nil {
			return nil
		}
		return func() {}
	}
	got := ""
	l.Work(working, time.Second, acquire, func(job Job, release func()) {
		defer release()
		got = string(job.Data)
		job.Done()
		done()
	})
	if got != text {
		t.Fatalf("the job is %q", got)
	}
}

// reopened waits until NATS was replaced.
func reopened(t *testing.T, l *Log, times int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for l.Reopened() < times || l.Ready(ctx) != nil {
		if ctx.Err() != nil {
			t.Fatalf("NATS was replaced %d times, want %d; ready: %v", l.Reopened(), times, l.Ready(t.Context()))
		}
		l.mu.RLock()
		changed := l.changed
		l.mu.RUnlock()
		if l.Reopened() >= times {
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// Any file below the folder may be damaged while the server is down: it starts,
// stores events and hands out work.
func TestALogOpensWhicheverFileIsDamaged(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	l := open(t, source, 0)
	publish(t, l, "r", 0, 50)
	works(t, l, "before")
	l.Close()
	for _, name := range filesBelow(t, source) {
		for _, keep := range []int64{0, 2} { // nothing, or half of it
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
				t.Fatal(err)
			}
			truncate(t, filepath.Join(dir, name), keep)
			again, err := Open(t.Context(), Options{Dir: dir})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			works(t, again, name)
			again.Close()
		}
	}
}

func filesBelow(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) < 3 {
		t.Fatalf("the files are %v, %v", names, err)
	}
	return names
}

// truncate leaves 1/keep of a file.
func truncate(t *testing.T, name string, keep int64) {
	t.Helper()
	info, err := os.Stat(name)
	if err == nil && keep > 0 {
		keep = info.Size() / keep
	}
	if err == nil {
		err = os.Truncate(name, keep)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The folder is deleted, or its events are, under a server that runs: it notices,
// ends the subscriptions and works again; old cursors are unknown.
func TestALogThatLosesItsFilesIsMadeAnew(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(dir string) error{
		"deleted": os.RemoveAll,
		"truncated": func(dir string) error {
			blocks, err := filepath.Glob(filepath.Join(dir, "jetstream", "$G", "streams", "EVENTS", "msgs", "*.blk"))
			for _, block := range blocks {
				err = errors.Join(err, os.Truncate(block, 10))
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "nats")
			l, err := Open(t.Context(), Options{Dir: dir, Check: 20 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(l.Close)
			told := make(chan struct{}, 10)
			l.OnReopen(func() { told <- struct{}{} })
			publish(t, l, "r", 0, 50)
			watcher := subscribe(t, l, Filter{UserID: "u"}, Start{})
			cursor := l.Cursor()
			if err := damage(dir); err != nil {
				t.Fatal(err)
			}
			for err = nil; err == nil; {
				_, err = watcher.Next(t.Context())
			}
			if !errors.Is(err, ErrReopened) {
				t.Errorf("the watcher ended with %v", err)
			}
			<-told
			works(t, l, "again")
			if _, err := l.Subscribe(t.Context(), Filter{UserID: "u"}, Start{After: cursor}); !errors.Is(err,
				ErrUnknownCursor) {
				t.Errorf("the old cursor: %v", err)
			}
		})
	}
}

// A disk that was full and is free again: meanwhile calls fail at once with what to
// do, and afterwards the log works without a restart of the process.
func TestALogGoesOnWhenAFullDiskIsFreeAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("NOT TESTED: a full disk needs the right to mount a tmpfs (run as root): %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	l, err := Open(t.Context(), Options{Dir: filepath.Join(dir, "nats"), Check: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	works(t, l, "before")
	ballast := filepath.Join(dir, "ballast")
	fill(t, ballast)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var down *DownError
	for !errors.As(err, &down) || !down.Full {
		if err = l.Publish(ctx, Message{Subject: EventSubject("u", "c", "r"),
			Data: make([]byte, 1000)}); ctx.Err() != nil {
			t.Fatalf("publishing on a full disk: %v", err)
		}
	}
	if !strings.Contains(err.Error(), "make room") || down.ErrorCode() != "storage_full" {
		t.Errorf("it says %v", err)
	}
	again, err := Open(t.Context(), Options{Dir: filepath.Join(dir, "other"), Check: 20 * time.Millisecond})
	if err != nil {
		t.Errorf("a start on a full disk: %v", err)
	} else {
		defer again.Close()
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	reopened(t, l, 1)
	works(t, l, "after")
}

// fill writes until the disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
		if !errors.Is(err, unix.ENOSPC) {
			t.Fatal(err)
		}
	}
}
