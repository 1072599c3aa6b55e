package runs

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
	"nanoclaw/internal/redact"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/services"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// Models finds the language models.
type Models interface {
	Get(id string) (llm.Model, error)
	Default() string
}

// Profile is an agent that a conversation can be opened with.
type Profile struct {
	ID            string
	Name          string
	Description   string
	Model         string
	SystemPrompt  string
	Tools         []string // names or globs; empty: all
	MaxIterations int      // 0: the setting's
	Presets       map[string]map[string]any
}

// Settings are read anew wherever they are needed, so that a reload applies.
type Settings struct {
	Lease         time.Duration
	Timeout       time.Duration // of a run's work; 0: none
	DeltaInterval time.Duration
	MaxAttempts   int
	MaxIterations int
	SubAgents     agent.Limits
	// ApprovalTimeout is how long a call waits for a person; 0: for ever.
	ApprovalTimeout time.Duration
	// AuditText is how long a string among the arguments of an audit row may be, in
	// bytes; 0: as long as it is.
	AuditText    int
	Budget       Budget
	SystemPrompt string
}

// Options are what the service is built from; all fields are needed.
type Options struct {
	Store    *store.Store
	Log      *eventlog.Log
	Loop     *agent.Loop
	Registry *tools.Registry
	Services *services.Locator
	Models   Models
	Settings func() Settings
	// Profile finds an agent profile; the empty id is the default agent.
	Profile func(id string) (Profile, bool)
	// ProjectContext is what a project's AGENTS.md says, or "".
	ProjectContext func(ctx context.Context, projectID string) (string, error)
	// ToolOff says why a tool cannot be used at all: config.yml turns it off, or
	// its engine is missing. Empty: it can.
	ToolOff func(ctx context.Context, name string) string
	// Cost prices a model turn; 0 where no price is configured.
	Cost     func(modelID string, usage llm.Usage) float64
	Redactor *redact.Redactor
	Workers  int    // root runs at work at once
	Owner    string // of leases: unique to this process
	Logger   *slog.Logger
}

// Service runs runs. Make one with New, then Start it.
type Service struct {
	Options
	fan       *agent.FanOut
	summaries llm.Summaries

	ctx    context.Context // ends when work must stop at once
	cancel context.CancelCauseFunc
	stop   context.CancelFunc // of taking work
	wg     sync.WaitGroup

	draining   atomic.Bool
	requeue    atomic.Bool // runs that nobody works on need new work messages
	unsendable atomic.Int64
	sent       sentRows
	answers    answers // to questions within calls

	mu     sync.Mutex
	active map[string]*tree // by root run
}

// New builds the service and the fan-out that multi_agent uses.
func New(o Options) *Service {
	s := &Service{Options: o, active: map[string]*tree{}}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.fan = agent.NewFanOut(children{s}, func() agent.Limits { return s.Settings().SubAgents }, o.Logger)
	return s
}

// SubAgents is the service that tools fan out with.
func (s *Service) SubAgents() tools.SubAgents { return s.fan }

// Start takes up what was left behind and begins to take work. It returns once
// every run that was under way is queued again; what is in the way of that is
// logged, and tried again.
func (s *Service) Start(ctx context.Context) error {
	// What cannot be done now, on a full disk for example, is done as soon as it can be.
	s.sent.behind.Store(true)
	s.catchUp(ctx)
	s.requeue.Store(true)
	s.requeueRuns(ctx)
	s.Log.OnReopen(func() {
		s.requeue.Store(true)
		s.sent.behind.Store(true)
	})
	workCtx, stop := context.WithCancel(s.ctx)
	s.stop = stop
	s.goDo(func() { s.repair(workCtx) })
	s.goDo(func() { s.work(workCtx) })
	s.goDo(func() { s.maintain(workCtx) })
	return nil
}

func (s *Service) goDo(fn func()) {
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		fn()
	}()
}

// Drain stops taking work and asks the agents at work to stop at their next
// checkpoint. It does not wait.
func (s *Service) Drain() {
	s.draining.Store(true)
	if s.stop != nil {
		s.stop()
	}
}

// Shutdown stops taking work, lets running agents reach their next checkpoint
// and queues their runs again. When ctx ends first they are stopped where they
// are; the next start resumes them from their last checkpoint.
func (s *Service) Shutdown(ctx context.Context) {
	s.Drain()
	done := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		s.cancel(agent.ErrDrained)
		<-done
	}
	s.cancel(agent.ErrDrained)
	s.forgetSent(context.WithoutCancel(ctx))
}

// tree returns the root run at work in this process, or nil.
func (s *Service) tree(rootRunID string) *tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active[rootRunID]
}

// ActiveRuns is the number of root runs at work in this process.
func (s *Service) ActiveRuns() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.active)
}

func now() models.Time { return models.Now() }
