// Package programs runs programs in projects for tools: shell commands, Python and
// external agents, in the sandbox that the configuration names. It keeps their sessions,
// homes and long outputs, and stands watch: what adds to a project over its quota is
// stopped (FS3), what they change is noted (CH11), what goes wrong is told (SH9).
//
// How a sandbox isolates is package sandbox's; what a person has to be asked is the guard's.
package programs

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/python"
	"nanoclaw/internal/sandbox/shell"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// Options are what programs need of the server.
type Options struct {
	Live     *config.Live
	Projects *workspace.Projects
	Changes  Changes                                         // nil: what programs change is not noted
	Redact   func(string) string                             // of kept outputs; nil: nothing
	Logger   *slog.Logger                                    // nil: none
	UserName func(ctx context.Context, userID string) string // nil: nobody knows
	Anomaly  func(call tools.Call, kind, detail string)      // what goes wrong; nil: nobody is told
	Started  func(policy string, err error)                  // a shell or an interpreter; nil: nobody counts
}

// Changes notes what a program changes in a project, until the function that it returns.
type Changes interface {
	Command(ctx context.Context, actor workspace.Actor, projectID string) (leave func(context.Context))
}

// Service runs programs for tools.
type Service struct {
	Options
	policies policyCache
	sessions *shell.Sessions

	mu     sync.Mutex
	runner *python.Runner // nil: none yet
	closed bool
}

// New makes the service. An engine that is missing is found when it is needed, and is
// no error here. Close must be called when no tool runs any more.
func New(o Options) (*Service, error) {
	if o.Live.Current().Environment != "development" {
		if err := sandbox.GuardMemory(); err != nil {
			return nil, err
		}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	// What a server that was killed left there is in nobody's use.
	if err := os.RemoveAll(filepath.Join(o.Live.Current().DataDir, videoDir)); err != nil {
		o.Logger.Warn("copies of videos could not be removed", "error", err)
	}
	return &Service{Options: o, sessions: shell.NewSessions(), policies: policyCache{started: o.Started}}, nil
}

// Shell is the shell of tools, under watch.
func (s *Service) Shell() tools.Shell { return watchedShell{watch{s}, (*shellService)(s)} }

// Python is the Python of tools, under watch.
func (s *Service) Python() tools.Python { return watchedPython{watch{s}, (*pythonService)(s)} }

// Watched are external agents under watch: they run programs in projects, too.
func (s *Service) Watched(agents tools.ExternalAgents) tools.ExternalAgents {
	return watchedAgents{watch{s}, agents}
}

// Close ends every session and interpreter.
func (s *Service) Close(ctx context.Context) error {
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

// ToolOff says why a tool that runs programs is not offered on this machine and with
// this configuration; empty: it is, or the tool is another one.
func (s *Service) ToolOff(ctx context.Context, name string) string {
	c := s.Live.Current()
	mode := modeOf(c, workspace.AccessOf(ctx))
	if slices.ContainsFunc(c.Shell.Templates, func(t config.Template) bool { return TemplatePrefix+t.Name == name }) {
		name = "shell_execute"
	}
	switch {
	case (name == "shell_execute" || name == "execute_python") && mode == config.RemoteMode:
		return "the files of this project cannot run commands (workspace.mode)"
	case name == "delegate_external_agent" && mode == config.SandboxMode:
		return "external agents run outside of sandboxes (workspace.mode)"
	case name == "shell_execute" && mode != config.SandboxMode && !c.Workspace.LocalShell:
		return "the files of projects cannot run commands: workspace.local_shell is off"
	case name == "execute_python" && !c.CodeExecution.Enabled:
		return "code_execution.enabled is off"
	}
	if why, known := s.mediaOff(ctx, name); known {
		return why
	}
	if _, err := s.Policy(ctx, name); err != nil {
		return err.Error()
	}
	return ""
}

// modeOf is the mode of a run's project; empty: it has none.
func modeOf(c *config.Config, access workspace.Access) string {
	if access.ProjectID == "" {
		return ""
	}
	return c.WorkspaceMode(access.ProjectID, access.AgentID)
}

// Policy is where a tool runs programs; nil: it runs none.
func (s *Service) Policy(ctx context.Context, tool string) (sandbox.Policy, error) {
	c := s.Live.Current()
	switch tool {
	case "shell_execute":
		return s.policies.find(ctx, shellPolicy(c))
	case "execute_python":
		return s.pythonPolicy(ctx, c)
	}
	return nil, nil
}

// Sandbox is the policy sandbox, whatever the shell's is.
func (s *Service) Sandbox(ctx context.Context) (sandbox.Policy, error) {
	return s.policies.find(ctx, sandbox.Settings{Policy: "sandbox", Environment: s.Live.Current().Environment})
}

func shellPolicy(c *config.Config) sandbox.Settings {
	return sandbox.Settings{Policy: c.Shell.Policy, Environment: c.Environment, Image: c.Shell.Image}
}

// site is where the programs of a call run; without a project it is empty.
type site struct {
	local *workspace.Local // nil: no project
	dir   string           // the project's directory on this machine
	home  string           // HOME of its programs
}

func (s *Service) site(ctx context.Context, c *config.Config, projectID string) (site, error) {
	if projectID == "" {
		return site{}, nil
	}
	files, err := s.Projects.Open(ctx, projectID)
	if err != nil {
		return site{}, err
	}
	local, ok := workspace.LocalOf(files)
	if !ok {
		return site{}, tools.Errorf(tools.CodeUnavailable,
			"the files of this project are not on this machine, so nothing can run beside them")
	}
	p := site{local: local, dir: local.Dir()}
	if own, ok := files.(interface{ Home() string }); ok {
		p.home = own.Home()
		return p, nil
	}
	p.home, err = homePath(c, projectID)
	return p, err
}

// policyCache keeps the policies that were opened. One that could not be is tried
// again after a while: somebody may install the engine.
type policyCache struct {
	started func(policy string, err error) // nil: nobody counts

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
	if err == nil && p.started != nil {
		policy = countedPolicy{policy, p.started}
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

// overQuota says that a project has more files than it may; nil: there is no project.
func (p site) overQuota() func(context.Context) error {
	if p.local == nil {
		return nil
	}
	return func(ctx context.Context) error { return p.local.CheckQuota(ctx, true) }
}
