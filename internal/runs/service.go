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
	"nanoclaw/internal/telemetry"
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
	// ClientToolTimeout is how long a call waits for its client's result; 0: for ever.
	ClientToolTimeout time.Duration
	// AuditText is how long a string among the arguments of an audit row may be, in
	// bytes; 0: as long as it is.
	AuditText    int
	Attached     AttachedLimits
	Budget       Budget
	Titles       TitleSettings
	SystemPrompt string
}

// Options are what the service is built from; all fields are needed where nothing else is said.
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
	// Knowledge is what files say to a run beside its prompt, section by section: a
	// project's AGENTS.md and notes, and the skills there are. offered are the names of
	// the tools that the run has. What could be read stands beside an error.
	Knowledge func(ctx context.Context, run *models.Run, offered []string) ([]string, error)
	// DocumentText is the text of a PDF or an office document; the error says why there is
	// none. Nil: such attachments are not read.
	DocumentText func(ctx context.Context, data []byte) (string, error)
	// KeepFile puts a file into a project unless there is one of that path. Nil: long
	// attachments are cut.
	KeepFile func(ctx context.Context, projectID, path string, data []byte) error
	// Context is that of everything that is done for a run; nil: nothing is added to it.
	Context func(ctx context.Context, run *models.Run) context.Context
	// ToolOff says why a tool cannot be used at all: config.yml turns it off, or
	// its engine is missing. Empty: it can.
	ToolOff func(ctx context.Context, name string) string
	// Cost prices a model turn; 0 where no price is configured.
	Cost func(modelID string, usage llm.Usage) float64
	// Quota is what a user may use; nil: no limits.
	Quota    func(ctx context.Context, userID string) (models.Quota, error)
	Redactor *redact.Redactor
	Workers  int    // root runs at work at once
	Owner    string // of leases: unique to this process
	Logger   *slog.Logger
	Tracer   *telemetry.Tracer // nil: no traces
	// WishesEvery is how often the database is asked what people told other processes, in
	// case a notice of it was lost; 0: every second.
	WishesEvery time.Duration
}

// Service runs runs. Make one with New, then Start it.
type Service struct {
	Options
	fan       *agent.FanOut
	summaries llm.Summaries
	documents readDocuments

	ctx    context.Context // ends when work must stop at once
	cancel context.CancelCauseFunc
	stop   context.CancelFunc // of taking work
	wg     sync.WaitGroup
	leases sync.WaitGroup // of what keeps them, which ends behind all work

	slots      chan struct{} // an element for each worker that is at work or waits for a message
	working    atomic.Bool   // work is taken
	draining   atomic.Bool
	requeue    atomic.Bool // runs that nobody works on need new work messages
	unsendable atomic.Int64
	sent       sentRows
	answers    answers     // to questions within calls
	wishes     chan string // root runs of which another process was told something

	mu     sync.Mutex
	active map[string]*tree       // by root run
	held   map[string]store.Fence // of the runs whose leases are renewed, by root run
	taking map[string]bool        // lost runs that are being claimed or queued
}

// New builds the service and the fan-out that multi_agent uses.
func New(o Options) *Service {
	s := &Service{Options: o, active: map[string]*tree{}, held: map[string]store.Fence{},
		taking: map[string]bool{}, slots: make(chan struct{}, max(o.Workers, 1)), wishes: make(chan string, 256)}
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
	s.working.Store(true)
	s.goDo(func() { s.maintain(workCtx) })
	s.goDo(func() { s.watchLost(workCtx) })
	s.leases.Go(func() { s.keepLeases(s.ctx) })
	if s.Store.Shared() {
		s.Log.OnNotice(s.noticed)
		s.goDo(func() { s.listen(workCtx) })
	}
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
	s.leases.Wait()
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
