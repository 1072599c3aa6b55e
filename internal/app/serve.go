package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"nanoclaw/internal/api"
	"nanoclaw/internal/config"
	"nanoclaw/internal/metrics"
	"nanoclaw/internal/process"
	"nanoclaw/internal/redact"
	"nanoclaw/internal/telemetry"
	"nanoclaw/web"
)

// ServeOptions say how a server process runs.
type ServeOptions struct {
	Source  config.Source
	Version string
	Log     io.Writer // of the server's log
	// Profiling is the loopback address of Go's profiles; empty: none.
	Profiling string
	// Ready is called with the URL once requests are answered.
	Ready func(url string)
	// SetUp, optional, is called before Ready with the address where the first
	// administrator's account is made, in auth_mode multi without one.
	SetUp func(address string)
	// DecisionToken lets clients decide (approvals, configuration) whose process
	// cannot be told from a tool's; empty: those cannot.
	DecisionToken string
}

// Serve runs the server until ctx ends, then stops taking work, lets running
// steps reach a checkpoint, and returns within the configured shutdown_timeout.
// The second end, a person's second Ctrl-C, is the caller's business.
func Serve(ctx context.Context, o ServeOptions) error {
	redactor, logger, live, err := open(o)
	if err != nil {
		return err
	}
	c := live.Current()
	if o.Profiling != "" {
		url, stop, err := serveProfiles(o.Profiling)
		if err != nil {
			return err
		}
		defer stop()
		logger.Info("profiles are served", "url", url)
	}
	a, err := New(ctx, live, redactor, logger, o.Version)
	if err != nil {
		return err
	}
	closing, cancel := graceContext(ctx, c.ShutdownTimeout.Std())
	defer cancel()
	err = a.serve(ctx, closing, o)
	if ctx.Err() == nil { // the listener broke
		var stop context.CancelFunc
		closing, stop = context.WithTimeout(closing, c.ShutdownTimeout.Std())
		defer stop()
	}
	return errors.Join(err, a.Close(closing))
}

// finalWriteReserve is what of the shutdown_timeout is kept for storing the end, at most.
const finalWriteReserve = 500 * time.Millisecond

// graceContext is a context that ends a while after ctx has: when whoever still works
// must stop, so that the process has ended within the limit.
func graceContext(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	closing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(max(limit-finalWriteReserve, limit/2), cancel)
		context.AfterFunc(closing, func() { timer.Stop() })
	})
	return closing, func() { stop(); cancel() }
}

// open reads the configuration and makes the log that covers its secrets.
func open(o ServeOptions) (*redact.Redactor, *slog.Logger, *config.Live, error) {
	level := &slog.LevelVar{}
	options := &slog.HandlerOptions{Level: level}
	// What is logged before the configuration is known quotes none of its values.
	live, err := config.Open(o.Source, slog.New(slog.NewTextHandler(o.Log, options)))
	if err != nil {
		return nil, nil, nil, err
	}
	c := live.Current()
	rules, err := redactionOptions(c)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("set up redaction: %w", err)
	}
	redactor, err := redact.New(rules)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("set up redaction: %w", err)
	}
	setLevel(level, c.LogLevel)
	live.Subscribe(func(_, next *config.Config) { setLevel(level, next.LogLevel) })
	var handler slog.Handler = slog.NewTextHandler(o.Log, options)
	if c.LogFormat == "json" {
		handler = slog.NewJSONHandler(o.Log, options)
	}
	return redactor, slog.New(telemetry.LogHandler(redactor.Handler(handler))), live, nil
}

// redactOptions are the rules of the configuration. Switched off, the server's
// own secrets stay covered.
func redactOptions(c *config.Config) redact.Options {
	options := redact.Options{
		Values: c.Secrets(), ValuesOnly: !c.Redaction.Enabled, Personal: c.Redaction.Personal,
		Disabled: c.Redaction.Disabled,
	}
	for _, rule := range c.Redaction.Rules {
		options.Rules = append(options.Rules, redact.Rule{ID: rule.ID, Pattern: rule.Pattern,
			Strategy: redact.Strategy(rule.Strategy)})
	}
	return options
}

func setLevel(level *slog.LevelVar, name string) {
	if err := level.UnmarshalText([]byte(name)); err != nil {
		level.Set(slog.LevelInfo)
	}
}

// serve starts everything, answers requests until ctx ends, and closes the listener
// before closing ends.
func (a *App) serve(ctx, closing context.Context, o ServeOptions) error {
	c := a.Live.Current()
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", c.Listen, err)
	}
	handler, err := api.New(api.Options{
		Store: a.Store, Runs: a.Runs, Projects: a.Projects, Undo: a.Undo, Skills: a.Skills, Live: a.Live,
		Models: a.Catalog, TryModels: a.Catalog, Registry: a.Registry, Foresee: a.foresee,
		Ready: a.Ready, Page: web.FS(), Version: o.Version, Logger: a.Logger, Redact: a.Redactor.String,
		Metrics: a.metrics.Collectors(metrics.Sources{Load: a.Store.Load, Unsendable: a.Runs.Unsendable,
			Reopened: a.log.Reopened, Messages: a.log.Messages, Stats: a.Store.Stats}),
		Triggers: a.Triggers,
		MCP:      a.agents.servers, Prompts: a.agents.servers, Authorized: a.agents.servers.Authorized,
		Places: a.toolPlace, Processes: processes{a}, Forget: a.forget, Workspace: a.workspaceStatus,
		Caller: process.CallerOf, DecisionToken: o.DecisionToken,
		Accounts: a.accounts, Stopping: ctx,
	})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	a.agents.servers.RedirectURL = browserAddress(listener.Addr()) + "/api/v1/mcp/oauth/callback"
	if err := a.Start(ctx); err != nil {
		return errors.Join(err, listener.Close())
	}
	background, stop := context.WithCancel(ctx)
	defer stop()
	done := a.follow(background)

	// Streams end when ctx does; other requests are answered while there is time.
	base, cancelRequests := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancelRequests(nil)
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: c.HTTP.HeaderTimeout.Std(), IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    slog.NewLogLogger(a.Logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	url := "http://" + listener.Addr().String()
	if err := a.AnnounceURL(url); err != nil {
		a.Logger.Warn("other processes cannot find this one", "error", err)
	}
	if err := a.offerSetUp(ctx, url, o.SetUp); err != nil {
		a.Logger.Error("no link for the first administrator could be made: nanoclaw user add NAME --admin makes one",
			"error", err)
	}
	if o.Ready != nil {
		a.awaitWorkers(ctx)
		o.Ready(url)
	}
	select {
	case err = <-failed:
	case <-ctx.Done():
		a.Runs.Drain() // while the last requests are answered
		err = shutDown(closing, server, func() { cancelRequests(api.ErrStopping) })
	}
	stop()
	<-done
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// lastRequests is how long the requests that are under way may take at the end, and
// refusals how long it may take to refuse what is left of them.
const lastRequests, refusals = 2 * time.Second, 500 * time.Millisecond

// shutDown lets requests end, cancels those that do not, and closes what is left then.
func shutDown(closing context.Context, server *http.Server, cancelRequests func()) error {
	answering, cancel := context.WithTimeout(closing, lastRequests)
	defer cancel()
	if server.Shutdown(answering) == nil {
		return nil
	}
	cancelRequests()
	refusing, cancel := context.WithTimeout(context.WithoutCancel(closing), refusals)
	defer cancel()
	if server.Shutdown(refusing) == nil {
		return nil
	}
	return server.Close()
}

// follow applies changes of config.yml, by its file and by SIGHUP, until ctx ends.
func (a *App) follow(ctx context.Context) (done <-chan struct{}) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if err := a.Live.Watch(ctx); err != nil && ctx.Err() == nil {
			a.Logger.Warn("config.yml is not watched: send SIGHUP after a change", "error", err)
		}
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer signal.Stop(hangup)
		for {
			select {
			case <-hangup:
				// A file that is wrong is logged by Reload itself.
				_ = a.Live.Reload()
			case <-ctx.Done():
				<-watched
				return
			}
		}
	}()
	return ended
}

// browserAddress is how a browser on this machine reaches the server.
func browserAddress(at net.Addr) string {
	host, port, err := net.SplitHostPort(at.String())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return "http://" + net.JoinHostPort("127.0.0.1", port)
	}
	return "http://" + at.String()
}

// awaitWorkers returns when runs are taken, or after a while: requests are answered before.
func (a *App) awaitWorkers(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	for a.log.Subscribed() != nil {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}
