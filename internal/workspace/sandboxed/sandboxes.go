package sandboxed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// Leases say which process has a sandbox. They end by themselves after TTL.
type Leases interface {
	// Take makes this process the holder, or extends that. False: another one is.
	Take(ctx context.Context, name string) (bool, error)
	Drop(ctx context.Context, name string) error
	// Want tells the holder that another process waits, and Wanted asks for that.
	Want(ctx context.Context, name string) error
	Wanted(ctx context.Context, name string) (bool, error)
	// Held says whether any process is the holder.
	Held(ctx context.Context, name string) (bool, error)
}

// Settings are those of the configuration in force.
type Settings struct {
	IdleTimeout time.Duration // until an unused sandbox is released
	Wait        time.Duration // for a sandbox that another process has
	Snapshots   int           // that are kept of each
	Trash       time.Duration // how long deleted files are kept; 0: for ever
}

// Options are what Sandboxes are made of; all but Logger are needed.
type Options struct {
	Dir      string // of the sandboxes on this machine
	Store    func(ctx context.Context) (*remote.Store, error)
	Leases   Leases
	TTL      time.Duration // of leases
	Settings func() Settings
	Execute  Execute
	// End ends what runs in the sandbox whose files are in a directory.
	End    func(ctx context.Context, dir string) error
	Logger *slog.Logger // nil: none
}

// Sandboxes are those of this process. They are safe for concurrent use.
type Sandboxes struct {
	Options

	stop context.CancelFunc
	done sync.WaitGroup // the loop, and what it started

	mu     sync.Mutex
	open   map[remote.Namespace]*sandbox
	closed bool
}

// New makes the sandboxes. Close must be called.
func New(o Options) *Sandboxes {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	background, stop := context.WithCancel(context.Background())
	s := &Sandboxes{Options: o, stop: stop, open: map[remote.Namespace]*sandbox{}}
	s.done.Go(func() {
		tick := time.NewTicker(o.TTL / 3)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				s.Tend(background, now)
			case <-background.Done():
				return
			}
		}
	})
	return s
}

// Open returns the files of a sandbox, which this process acquires unless it has it
// already. It is in use until ctx ends; a context without an end uses it for a moment.
func (s *Sandboxes) Open(ctx context.Context, ns remote.Namespace, o workspace.Opening) (*Files, error) {
	if o.InPlace {
		return nil, workspace.Errorf(workspace.CodeUnavailable, "",
			"a project in a directory of yours cannot be in workspace.mode sandbox: give it mode local "+
				"(workspace.projects), or make a project without a path")
	}
	for {
		sb, mine, err := s.find(ns)
		if err != nil {
			return nil, err
		}
		if mine {
			s.begin(ctx, sb, o)
		}
		select {
		case <-sb.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case sb.failed == nil && sb.use(ctx):
			return sb.files, nil
		case sb.failed == nil:
			// It is being released: what comes next is a new one.
			if err := await(ctx, sb.gone); err != nil {
				return nil, err
			}
		case mine || !errors.Is(sb.failed, context.Canceled) && !errors.Is(sb.failed, context.DeadlineExceeded):
			return nil, sb.failed
		}
	}
}

func await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// find returns the sandbox of a namespace; mine: the caller has to begin it.
func (s *Sandboxes) find(ns remote.Namespace) (sb *sandbox, mine bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false, workspace.Errorf(workspace.CodeUnavailable, "", "the server is shutting down: try again later")
	}
	if sb = s.open[ns]; sb != nil {
		return sb, false, nil
	}
	id := idOf(ns)
	sb = &sandbox{all: s, ns: ns, id: id, dir: filepath.Join(s.Dir, filepath.FromSlash(id)),
		ready: make(chan struct{}), gone: make(chan struct{}), users: map[<-chan struct{}]bool{}}
	s.open[ns] = sb
	return sb, true, nil
}

// idOf names a sandbox. The project's id is checked by who opens it; the scope can hold anything.
func idOf(ns remote.Namespace) string { return ns.Project + "/" + scopeDir(ns.Scope) }

func scopeDir(scope string) string {
	sum := sha256.Sum256([]byte(scope))
	return hex.EncodeToString(sum[:16])
}

func (s *Sandboxes) begin(ctx context.Context, sb *sandbox, o workspace.Opening) {
	if sb.failed = sb.acquire(ctx, o); sb.failed != nil {
		s.forget(sb)
	}
	close(sb.ready)
}

// forget ends a sandbox's time in this process.
func (s *Sandboxes) forget(sb *sandbox) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[sb.ns] == sb {
		delete(s.open, sb.ns)
	}
	close(sb.gone)
}

func (s *Sandboxes) held() []*sandbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Collect(maps.Values(s.open)), func(sb *sandbox) bool {
		select {
		case <-sb.ready:
			return sb.failed != nil
		default:
			return true
		}
	})
}

// Tend renews the leases, and begins to store and release what is due at a moment.
func (s *Sandboxes) Tend(ctx context.Context, now time.Time) {
	for _, sb := range s.held() {
		s.done.Go(func() { sb.tend(ctx, now) })
	}
}

// Close stores and releases all sandboxes. What is not stored when ctx ends stays on this
// machine, where the next process finds it.
func (s *Sandboxes) Close(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.done.Wait()
	var ending sync.WaitGroup
	for _, sb := range s.held() {
		ending.Go(func() { sb.release(ctx) })
	}
	ending.Wait()
}
