package config

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A lockedBuffer is a log that several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func openLive(t *testing.T, text string) (l *Live, path string, log *lockedBuffer) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "config.yml")
	write(t, path, text)
	log = &lockedBuffer{}
	l, err := Open(Source{Path: path, Env: environment()}, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return l, path, log
}

// CF2: what is valid is in force at once, told to subscribers and logged as a diff.
func TestReloadAppliesAValidFile(t *testing.T) {
	t.Parallel()
	l, path, log := openLive(t, "max_iterations: 5\nmodels: [{id: a, base_url: http://a, api_key: s3cret-one}]\n")
	type change struct{ from, to int }
	var got []change
	l.Subscribe(func(old, new *Config) {
		if l.Current() != new || l.LastError() != nil {
			t.Error("a subscriber is called before the new configuration is in force")
		}
		got = append(got, change{old.MaxIterations, new.MaxIterations})
	})
	before := l.Current()
	write(t, path,
		"max_iterations: 6\nsub_agent: {max_tasks: 9}\nmodels: [{id: a, base_url: http://a, api_key: s3cret-two}]\n")
	if err := l.Reload(); err != nil {
		t.Fatal(err)
	}
	if c := l.Current(); c.MaxIterations != 6 || c.SubAgent.MaxTasks != 9 ||
		c.Models[0].APIKey.Reveal() != "s3cret-two" {
		t.Errorf("not in force: %+v", c)
	}
	if before.MaxIterations != 5 {
		t.Error("the old configuration was changed in place")
	}
	if len(got) != 1 || got[0] != (change{5, 6}) {
		t.Errorf("subscribers saw %v", got)
	}
	for _, want := range []string{"key=max_iterations from=5 to=6", "key=sub_agent.max_tasks from=5 to=9",
		"key=models[a].api_key"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
	if strings.Contains(log.String(), "s3cret") {
		t.Errorf("a secret is logged:\n%s", log)
	}
	if err := l.Reload(); err != nil || len(got) != 1 {
		t.Errorf("a reload without change: %v, subscribers %v", err, got)
	}
}

// CF2: what is invalid is kept out, the old one stays and the error is kept.
func TestReloadKeepsTheOldOneWhenTheFileIsInvalid(t *testing.T) {
	t.Parallel()
	l, path, log := openLive(t, "max_iterations: 5\n")
	l.Subscribe(func(_, _ *Config) { t.Error("a subscriber is told of an invalid configuration") })
	before := l.Current()
	for _, text := range []string{"max_iterations: 0\n", "a: [\n", "", "  \n"} {
		write(t, path, text)
		if err := l.Reload(); err == nil {
			t.Errorf("%q: no error", text)
		}
		if l.Current() != before || l.LastError() == nil {
			t.Errorf("%q: not kept out", text)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := l.Reload(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
	write(t, path, "max_iterations: 0\n")
	_ = l.Reload()
	lines := strings.Count(log.String(), "1 to 1000")
	_ = l.Reload()
	if again := strings.Count(log.String(), "1 to 1000"); again != lines {
		t.Error("the same error is logged twice in a row")
	}
	write(t, path, "max_iterations: 5\n")
	if err := l.Reload(); err != nil || l.LastError() != nil {
		t.Errorf("mended: %v, %v", err, l.LastError())
	}
}

func TestKeysThatNeedARestartWaitForIt(t *testing.T) {
	t.Parallel()
	l, path, log := openLive(t, "data_dir: a\nruns: {workers: 3}\n")
	write(t, path, "data_dir: b\nruns: {workers: 4, max_attempts: 9}\n")
	if err := l.Reload(); err != nil {
		t.Fatal(err)
	}
	c := l.Current()
	if c.DataDir != "a" || c.Runs.Workers != 3 || c.Runs.MaxAttempts != 9 {
		t.Errorf("got %s, %+v", c.DataDir, c.Runs)
	}
	var pending []string
	for _, p := range l.PendingRestart() {
		pending = append(pending, p.String())
	}
	if got := strings.Join(pending, "; "); got != "data_dir: a → b; runs.workers: 3 → 4" {
		t.Errorf("pending: %s", got)
	}
	if !strings.Contains(log.String(), "in force after a restart\" key=data_dir") {
		t.Errorf("the log does not name them:\n%s", log)
	}
	write(t, path, "data_dir: a\nruns: {workers: 3}\n")
	if err := l.Reload(); err != nil || len(l.PendingRestart()) > 0 {
		t.Errorf("taken back: %v, %v", err, l.PendingRestart())
	}
}

func TestAFileThatIsValidOnlyAfterARestartIsKeptOut(t *testing.T) {
	t.Parallel()
	l, path, _ := openLive(t, "environment: production\n")
	write(t, path, "environment: development\nshell: {policy: host}\n")
	err := l.Reload()
	if err == nil || !strings.Contains(err.Error(), "after a restart") || l.Current().Shell.Policy != "sandbox" {
		t.Errorf("got %v, policy %s", err, l.Current().Shell.Policy)
	}
}

func TestAPanickingSubscriberStopsNobodyElse(t *testing.T) {
	t.Parallel()
	l := Fixed(Default())
	l.log = slog.New(slog.DiscardHandler)
	called := 0
	l.Subscribe(func(_, _ *Config) { panic("mine") })
	cancel := l.Subscribe(func(_, _ *Config) { called++ })
	next := Default()
	next.MaxIterations = 3
	l.Replace(next)
	cancel()
	l.Replace(Default())
	if called != 1 {
		t.Errorf("called %d times", called)
	}
	if err := l.Reload(); err != nil || l.Current().MaxIterations != 15 {
		t.Errorf("reload without a file: %v", err)
	}
	if err := l.Watch(t.Context()); err == nil {
		t.Error("watch without a file: no error")
	}
}

// watchIn starts Watch and ends it with the test.
func watchIn(t *testing.T, l *Live) {
	t.Helper()
	w, err := l.newWatcher()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.watch(ctx, w, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("watch: %v", err)
		}
	})
}

// CF2: a change of the file is seen however it is made.
func TestWatchSeesTheWaysInWhichFilesAreChanged(t *testing.T) {
	t.Parallel()
	cases := map[string]func(t *testing.T, path, text string){
		"written in place": write,
		"replaced by rename": func(t *testing.T, path, text string) {
			write(t, path+".new", text)
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		},
		"removed and written again": func(t *testing.T, path, text string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			write(t, path, text)
		},
		"saved": func(t *testing.T, path, text string) {
			if err := Save(path, []byte(text)); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, path, _ := openLive(t, "max_iterations: 5\n")
			seen := make(chan int, 10)
			l.Subscribe(func(_, new *Config) { seen <- new.MaxIterations })
			watchIn(t, l)
			change(t, path, "max_iterations: 6\n")
			if got := <-seen; got != 6 {
				t.Errorf("saw %d", got)
			}
			change(t, path, "max_iterations: 7\n")
			if got := <-seen; got != 7 {
				t.Errorf("saw %d the second time", got)
			}
		})
	}
}

func TestWatchFollowsASymbolicLink(t *testing.T) {
	t.Parallel()
	target := filepath.Join(t.TempDir(), "real.yml")
	link := filepath.Join(t.TempDir(), "config.yml")
	write(t, target, "max_iterations: 5\n")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	l, err := Open(Source{Path: link, Env: environment()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan int, 10)
	l.Subscribe(func(_, new *Config) { seen <- new.MaxIterations })
	watchIn(t, l)
	write(t, target, "max_iterations: 6\n")
	if got := <-seen; got != 6 {
		t.Errorf("saw %d", got)
	}
	if err := Save(link, []byte("max_iterations: 7\n")); err != nil {
		t.Fatal(err)
	}
	if got := <-seen; got != 7 {
		t.Errorf("saw %d after a save through the link", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
}

func TestAFileThatAppearsLaterIsSeen(t *testing.T) {
	t.Chdir(t.TempDir())
	l, err := Open(Source{Env: environment()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan int, 10)
	l.Subscribe(func(_, new *Config) { seen <- new.MaxIterations })
	watchIn(t, l)
	write(t, DefaultPath, "max_iterations: 6\n")
	if got := <-seen; got != 6 {
		t.Errorf("saw %d", got)
	}
}

func TestOpenRefusesAnInvalidFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yml")
	write(t, path, "max_iterations: 0\n")
	if _, err := Open(Source{Path: path, Env: environment()}, nil); err == nil {
		t.Error("no error")
	}
}
