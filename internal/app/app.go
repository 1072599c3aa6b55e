package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/agent"
	"nanoclaw/internal/browser"
	"nanoclaw/internal/config"
	"nanoclaw/internal/datadir"
	"nanoclaw/internal/executor"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/catalog"
	"nanoclaw/internal/metrics"
	"nanoclaw/internal/notify"
	"nanoclaw/internal/programs"
	"nanoclaw/internal/redact"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/services"
	"nanoclaw/internal/skills"
	"nanoclaw/internal/store"
	"nanoclaw/internal/telemetry"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/tools/builtin" // also registers the tools that ship
	"nanoclaw/internal/triggers"
	"nanoclaw/internal/undo"
	"nanoclaw/internal/workspace"
)

// App is the whole server, but for its HTTP listener.
type App struct {
	Live     *config.Live
	Logger   *slog.Logger
	Store    *store.Store
	Runs     *runs.Service
	Projects *workspace.Projects
	Catalog  *catalog.Catalog
	Registry *tools.Registry
	Redactor *redact.Redactor

	owner    string // of leases: unique to this process
	lock     *datadir.Lock
	log      *eventlog.Log
	executor *executor.Executor
	guard    *toolGuard
	locator  *services.Locator
	programs *programs.Service
	browser  *browser.Service
	files    *workspaces
	agents   *agentServices
	covering sync.Mutex        // held while the redactor gets other secrets
	accounts *accounts.Service // nil: auth_mode single
	started  bool
	// foreignEventLog: another server on the database has another event log.
	foreignEventLog atomic.Bool
	closers         []func()
	metrics         *metrics.Metrics
	tracer          *telemetry.Tracer
	Undo            *undo.Service
	Skills          *skills.Service
	notices         *notify.Forwarder
	Triggers        *triggers.Service
}

// New builds the server and takes possession of the data directory. It returns a
// *datadir.LockedError when another process has it. Close must be called, also when
// Start never was.
func New(ctx context.Context, live *config.Live, redactor *redact.Redactor, logger *slog.Logger,
	version string) (_ *App, err error) {
	c := live.Current()
	a := &App{Live: live, Logger: logger, Redactor: redactor, Registry: tools.Default().Clone(),
		metrics: metrics.New(), owner: fmt.Sprintf("%d-%s", os.Getpid(), store.NewID())}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close(ctx))
		}
	}()
	if a.lock, err = datadir.Own(c.DataDir); err != nil {
		return nil, err
	}
	if a.tracer, err = telemetry.Open(ctx, c.Telemetry.OTLPEndpoint, version, logger); err != nil {
		return nil, err
	}
	if err := a.openStorage(ctx, c); err != nil {
		return nil, err
	}
	if err := a.build(ctx, c); err != nil {
		return nil, err
	}
	a.closers = append(a.closers, live.Subscribe(a.reconfigure))
	return a, nil
}

func (a *App) openStorage(ctx context.Context, c *config.Config) (err error) {
	options := storeOptions(c)
	options.Logger = a.Logger
	if a.Store, err = store.Open(ctx, options); err != nil {
		return err
	}
	if err = a.Store.TransferUnfinished(ctx); err != nil {
		return err
	}
	if _, err = a.Store.EnsureLocalUser(ctx); err != nil {
		return err
	}
	if c.AuthMode == "multi" {
		a.accounts = &accounts.Service{Store: a.Store, Limits: func() accounts.Limits {
			auth := a.Live.Current().Auth
			return accounts.Limits{SessionLifetime: auth.SessionLifetime.Std(), SessionIdle: auth.SessionIdle.Std()}
		}}
	}
	// Requests that a process that died was answering can be sent again.
	if err = a.Store.AbandonUnfinishedIdempotent(ctx); store.IsCode(err, store.CodeStorageFull) {
		a.Logger.Error("requests that were under way at the last end cannot be sent again yet", "error", err)
	} else if err != nil {
		return err
	}
	a.log, err = eventlog.Open(ctx, eventlog.Options{
		Dir: filepath.Join(c.DataDir, "nats"), Servers: natsServers(c.NATS), MaxAge: c.Retention.Events.Std(),
		Logger: a.Logger,
	})
	if err != nil {
		return err
	}
	return a.claimEventLog(ctx)
}

func (a *App) build(ctx context.Context, c *config.Config) (err error) {
	a.Projects, err = workspace.NewProjects(workspaceSettings(c), func(ctx context.Context,
		id string) (workspace.Location, error) {
		project, err := a.Store.AnyProject(ctx, id)
		if err != nil {
			return workspace.Location{}, err
		}
		return workspace.Location{Path: project.Path}, nil
	})
	if err != nil {
		return err
	}
	if err = checkModes(c); err != nil {
		return err
	}
	a.files = newWorkspaces(a)
	a.Projects.AddMode(config.RemoteMode, a.files.openRemote)
	a.Projects.AddMode(config.SandboxMode, a.files.openSandbox)
	a.Projects.OnRemove(a.files.removeProject)
	client := llm.NewHTTPClient()
	client.Transport = telemetry.Transport(client.Transport)
	a.Catalog = catalog.New(
		c,
		llm.Options{HTTPClient: client, IdleTimeout: c.LLM.IdleTimeout.Std(), MaxRetries: c.LLM.MaxRetries,
			Logger: a.Logger},
	)
	a.locator = &services.Locator{}
	if a.Skills, err = a.newSkills(c, a.locator); err != nil {
		return err
	}
	if a.guard, err = newGuard(a, ledger{a.Store}); err != nil {
		return err
	}
	a.executor = executor.New(executor.Options{
		Registry: a.Registry, Guard: auditedGuard{a, a.guard}, Redact: a.Redactor.String, Count: a.Redactor.Count,
		Blocked: a.Redactor.Blocked, Placeholder: redact.FirstMark, Logger: a.Logger, Audit: a.audit,
		Limits: func() executor.Limits { return executorLimits(a.Live.Current()) },
	})
	a.Runs = runs.New(runs.Options{
		Store: a.Store, Log: a.log, Loop: &agent.Loop{Executor: a.executor}, Registry: a.Registry, Services: a.locator,
		Models:    tracedModels{a.metrics.Catalog(a.Catalog)},
		Settings:  func() runs.Settings { return runSettings(a.Live.Current()) },
		Profile:   func(id string) (runs.Profile, bool) { return profile(a.Live.Current(), id) },
		Knowledge: a.knowledge, DocumentText: builtin.DocumentText(c.Attachments.ReadTimeout.Std()), KeepFile: a.keepFile,
		ToolOff:  a.toolOff,
		Cost:     func(id string, used llm.Usage) float64 { return cost(a.Live.Current(), id, used) },
		Quota:    a.quota,
		Redactor: a.Redactor, Workers: c.Runs.Workers, Owner: a.owner, Logger: a.Logger,
		Tracer: a.tracer, Context: runContext,
	})
	services.Register[workspace.Opener](a.locator, workspace.Key, a.Projects)
	a.Undo, a.notices = a.newUndo(a.locator), a.newForwarder()
	a.Triggers = triggers.New(triggers.Options{Store: a.Store, Runs: a.Runs, Logger: a.Logger})
	services.Register(a.locator, tools.SubAgentsKey, a.Runs.SubAgents())
	services.Register(a.locator, tools.LLMClientKey, a.Runs.LLMClient())
	registerToolServices(a, a.locator)
	if err = a.registerPrograms(); err != nil {
		return err
	}
	a.registerBrowser(c)
	if err = a.offerTemplates(a.Live.Current()); err != nil {
		return err
	}
	a.agents, err = registerAgentServices(a, a.locator)
	return err
}

// toolOff says why a tool cannot be used on this machine and with this
// configuration; empty: it can.
func (a *App) toolOff(ctx context.Context, name string) string {
	c := a.Live.Current()
	if c.Tools[name].Disabled {
		return "it is switched off in config.yml"
	}
	if guard.Matches(c.Guard.DeniedTools, name) {
		return "the administrator denies it (guard.denied_tools)"
	}
	if name == "browser_use" {
		return a.browser.Unavailable(ctx)
	}
	return a.programs.ToolOff(ctx, name)
}

// reconfigure applies a changed config.yml; what reads the configuration at every
// use needs nothing.
func (a *App) reconfigure(_, next *config.Config) {
	if err := a.Projects.Configure(workspaceSettings(next)); err != nil {
		a.Logger.Error("the new workspace settings are not in force", "error", err)
	}
	if err := a.guard.configure(a.Live, next); err != nil {
		a.Logger.Error("the new rules of the guard are not in force", "error", err)
	}
	a.reconfigureRedaction(next)
	a.executor.ClearCache() // results were covered by the old rules
	a.Catalog.Reload(next)
	if err := a.offerTemplates(next); err != nil {
		a.Logger.Error("the new command templates are not in force", "error", err)
	}
	if err := a.Triggers.Sync(context.Background(), next.Schedules); err != nil {
		a.Logger.Error("the new schedules are not in force", "error", err)
	}
}

// Start takes up what was left behind and begins to work on runs.
func (a *App) Start(ctx context.Context) error {
	a.started = true
	a.agents.start()
	if err := a.Runs.Start(ctx); err != nil {
		return err
	}
	if err := a.Triggers.Sync(ctx, a.Live.Current().Schedules); err != nil {
		return err
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.once("retention").Run(background, a.runRetention)
	}()
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		a.runDeleted(background)
	}()
	accountsDone := make(chan struct{})
	go func() {
		defer close(accountsDone)
		if a.accounts != nil {
			a.stopDisabled(background)
		}
	}()
	held := make(chan struct{})
	go func() {
		defer close(held)
		a.holdEventLog(background)
	}()
	a.closers = append(a.closers, a.notices.Start(background), a.Triggers.Start(background),
		func() { stop(); <-done; <-swept; <-accountsDone; <-held })
	return nil
}

// once is work that one process does at a time, however many share the database.
func (a *App) once(name string) store.Lease {
	return store.Lease{Store: a.Store, Name: name, Owner: a.owner, TTL: store.LeaseTTL, Logger: a.Logger}
}

// Close stops work, lets running steps reach a checkpoint until ctx ends, and
// closes everything.
func (a *App) Close(ctx context.Context) error {
	for _, c := range a.closers {
		c()
	}
	if a.started {
		a.Runs.Shutdown(ctx)
		a.agents.stop()
	}
	if a.browser != nil {
		a.browser.Close()
	}
	var err error
	if a.programs != nil {
		err = a.programs.Close(ctx)
	}
	if a.Catalog != nil {
		a.Catalog.Close()
	}
	err = errors.Join(err, a.tracer.Close(ctx))
	if a.files != nil {
		a.files.sandboxes.Close(ctx) // what they hold goes to the store
		a.files.close()
	}
	if a.log != nil {
		a.log.Close()
	}
	if a.Store != nil {
		err = errors.Join(err, a.Store.Close())
	}
	if a.lock != nil {
		err = errors.Join(err, a.lock.Release())
	}
	return err
}

// AnnounceURL tells other processes where this one's API is.
func (a *App) AnnounceURL(url string) error {
	return a.lock.Announce(datadir.Owner{PID: os.Getpid(), URL: url})
}
