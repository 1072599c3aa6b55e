package app

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"nanoclaw/internal/config"
	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/python"
	"nanoclaw/internal/sandbox/shell"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// sandboxServices are what runs processes for tools.
type sandboxServices struct {
	live     *config.Live
	projects workspace.Opener
	policies policyCache
	sessions *shell.Sessions
	redact   func(string) string                             // nil: nothing is covered
	logger   *slog.Logger                                    // nil: none
	userName func(ctx context.Context, userID string) string // nil: nobody knows

	mu     sync.Mutex
	runner *python.Runner // nil: none yet
	closed bool
}

var sandboxServicesKey = services.NewKey[*sandboxServices]("sandbox")

// registerSandboxServices makes the shell and Python available to tools. An
// engine that is missing is found when it is needed, and is no error here.
// closeSandboxServices must be called when no tool runs any more.
func registerSandboxServices(a *App, l *services.Locator) error {
	if a.Live.Current().Environment != "development" {
		if err := sandbox.GuardMemory(); err != nil {
			return err
		}
	}
	s := &sandboxServices{
		live: a.Live, projects: a.Projects, sessions: shell.NewSessions(), logger: a.Logger,
		policies: policyCache{starts: a.counters.sandboxes},
	}
	if a.Redactor != nil {
		s.redact = a.Redactor.String
	}
	if a.Store != nil {
		s.userName = func(ctx context.Context, userID string) string {
			user, err := a.Store.GetUser(ctx, userID)
			if err != nil {
				return "" // whose call it is does not hold up the command
			}
			return user.Name
		}
	}
	services.Register(l, sandboxServicesKey, s)
	services.Register[tools.Shell](l, tools.ShellKey, watchedShell{commandWatch{a}, s})
	services.Register[tools.Python](l, tools.PythonKey, watchedPython{commandWatch{a}, (*pythonService)(s)})
	return nil
}

// closeSandboxServices ends every session and interpreter.
func closeSandboxServices(ctx context.Context, l *services.Locator) error {
	s, err := services.Get(l, sandboxServicesKey)
	if err != nil {
		return nil // they were never registered
	}
	s.mu.Lock()
	s.closed = true
	runner := s.runner
	s.runner = nil
	s.mu.Unlock()
	if runner != nil {
		runner.Close()
	}
	return s.sessions.Close(ctx)
}

// sandboxToolOff says why a tool that runs processes is not offered on this
// machine and with this configuration; empty: it is, or the tool is another one.
func sandboxToolOff(ctx context.Context, l *services.Locator, name string) string {
	s, err := services.Get(l, sandboxServicesKey)
	if err != nil {
		return ""
	}
	c := s.live.Current()
	switch name {
	case "shell_execute":
		if !c.Workspace.LocalShell {
			return "the files of projects cannot run commands: workspace.local_shell is off"
		}
		if _, err := s.policies.find(ctx, shellPolicy(c)); err != nil {
			return err.Error()
		}
	case "execute_python":
		if !c.CodeExecution.Enabled {
			return "code_execution.enabled is off"
		}
		if _, err := s.pythonPolicy(ctx, c); err != nil {
			return err.Error()
		}
	}
	return ""
}

func shellPolicy(c *config.Config) sandbox.Settings {
	return sandbox.Settings{Policy: c.Shell.Policy, Environment: c.Environment, Image: c.Shell.Image}
}

// projectDir is the directory of a project on this machine; empty without a project.
func (s *sandboxServices) projectDir(ctx context.Context, projectID string) (string, error) {
	if projectID == "" {
		return "", nil
	}
	files, err := s.projects.Open(ctx, projectID)
	if err != nil {
		return "", err
	}
	local, ok := files.(interface{ Dir() string })
	if !ok {
		return "", tools.Errorf(tools.CodeUnavailable,
			"the files of this project are not on this machine, so nothing can run beside them")
	}
	return local.Dir(), nil
}

// policyCache keeps the policies that were opened. One that could not be is tried
// again after a while: somebody may install the engine.
type policyCache struct {
	starts *prometheus.CounterVec // nil: not counted

	mu   sync.Mutex
	open map[sandbox.Settings]openedPolicy
}

type openedPolicy struct {
	policy sandbox.Policy
	err    error
	at     time.Time
}

// openAgain is how long a failure stands.
const openAgain = 30 * time.Second

func (p *policyCache) find(ctx context.Context, settings sandbox.Settings) (sandbox.Policy, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.open[settings]; ok && (known.err == nil || time.Since(known.at) < openAgain) {
		return known.policy, known.err
	}
	policy, err := sandbox.Open(ctx, settings)
	if err != nil && ctx.Err() != nil {
		return nil, err // it says nothing about the engine
	}
	if err == nil && p.starts != nil {
		policy = meteredPolicy{policy, p.starts}
	}
	if p.open == nil {
		p.open = map[sandbox.Settings]openedPolicy{}
	}
	p.open[settings] = openedPolicy{policy: policy, err: err, at: time.Now()}
	if err != nil {
		return nil, fmt.Errorf("open the policy %s: %w", settings.Policy, err)
	}
	return policy, nil
}

// masked are the paths of a project that its programs may not see.
func (s *sandboxServices) masked(ctx context.Context, projectID string) ([]string, error) {
	files, ok := s.projects.(interface {
		Masked(ctx context.Context, projectID string) ([]string, error)
	})
	if !ok {
		return nil, nil
	}
	return files.Masked(ctx, projectID)
}

// overQuota says that a project has more files than it may; nil: nobody can tell.
func (s *sandboxServices) overQuota(projectID string) func(context.Context) error {
	quota, ok := s.projects.(interface {
		CheckQuota(ctx context.Context, projectID string, fresh bool) error
	})
	if !ok || projectID == "" {
		return nil
	}
	return func(ctx context.Context) error { return quota.CheckQuota(ctx, projectID, true) }
}
