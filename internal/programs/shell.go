package programs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/egress"
	"nanoclaw/internal/sandbox/shell"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// shellService is the part of the service that runs commands.
type shellService Service

var _ tools.Shell = (*shellService)(nil)

// Execute implements tools.Shell. A session belongs to a conversation, an agent
// in it and a project.
func (p *shellService) Execute(ctx context.Context, call tools.Call,
	command tools.ShellCommand) (tools.ShellResult, error) {
	s := (*Service)(p)
	c := s.Live.Current()
	if !c.Workspace.LocalShell && modeOf(c, workspace.AccessOf(ctx)) != config.SandboxMode {
		return tools.ShellResult{}, tools.Errorf(tools.CodeUnavailable,
			"commands cannot run here: workspace.local_shell is off")
	}
	timeout := command.Timeout
	if timeout <= 0 {
		timeout = c.Shell.Timeout.Std()
	}
	if longest := c.Shell.MaxTimeout.Std(); timeout > longest {
		return tools.ShellResult{}, tools.Errorf(tools.CodeInvalidArguments,
			"timeout is longer than %s (shell.max_timeout): use less, or put the work in the background with its "+
				"output in a file", longest)
	}
	if err := CheckCommand(c, command.Line, call.Clearance); err != nil {
		return tools.ShellResult{}, err
	}
	policy, err := s.policies.find(ctx, shellPolicy(c))
	if err != nil {
		return tools.ShellResult{}, err
	}
	project, err := s.site(ctx, c, call.ProjectID)
	if err != nil {
		return tools.ShellResult{}, err
	}
	masked, err := s.Projects.Masked(ctx, call.ProjectID)
	if err != nil {
		return tools.ShellResult{}, err
	}
	settings := shellSettings(c, policy, project.dir, call.OutputLimit)
	settings.Masked = masked
	settings.Proxy, settings.OverQuota = s.proxy(c.Shell), project.overQuota()
	settings.Env, settings.Failed = s.commandEnv(ctx, c, call), s.reportFailed(call)
	key := strings.Join([]string{call.ConversationID, call.AgentPath, project.dir, call.ProjectID}, "\x00")
	version := fmt.Sprintf("%s %+v %v %q", policy.Name(), settings.Limits, c.Shell, masked)
	settings.Home = project.home
	if !s.sessions.Has(key) {
		if err := s.readyHome(ctx, c, project.home, call.UserID); err != nil {
			return tools.ShellResult{}, err
		}
	}
	var result shell.Result
	ctx, stop := s.watchHome(ctx, c, project.home)
	err = s.sessions.Use(ctx, key, version, c.Shell.IdleTimeout.Std(), func() shell.Settings { return settings },
		func(session *shell.Session) error {
			if command.Restart {
				if err := session.Restart(ctx); err != nil || command.Line == "" {
					return err
				}
			}
			result, err = session.Run(ctx, shell.Command{Line: command.Line, Dir: command.Dir, Timeout: timeout,
				Printed: func(lines string) { call.Progress(lines, -1) }})
			return err
		})
	over := stop()
	defer result.CloseFiles()
	if over != nil {
		// Whatever else still runs in the session would go on writing.
		return tools.ShellResult{}, errors.Join(over, s.sessions.End(context.WithoutCancel(ctx),
			func(one string) bool { return one == key }))
	}
	if err != nil {
		return tools.ShellResult{}, err
	}
	return tools.ShellResult{
		StdoutFile: s.keepOutput(ctx, call, "stdout", result.WholeStdout), StderrFile: s.keepOutput(ctx, call, "stderr",
			result.WholeStderr),
		ExitCode: result.ExitCode, Stdout: result.Stdout, Stderr: result.Stderr, Dir: result.Dir,
		Duration: result.Duration,
		TimedOut: result.TimedOut, Timeout: timeout, Cancelled: result.Cancelled, Restarted: result.Restarted,
		StdoutDropped: result.StdoutDropped, StderrDropped: result.StderrDropped, Limits: result.Limits,
	}, nil
}

// reportFailed logs startup and shutdown commands that failed.
func (s *Service) reportFailed(call tools.Call) func(kind, line, why string) {
	return func(kind, line, why string) {
		s.Logger.Warn("a "+kind+" command of the shell failed", "command", line, "reason", why, "project_id",
			call.ProjectID,
			"conversation_id", call.ConversationID, "agent", call.AgentPath)
	}
}

// wholeOutput is how much of a long output is kept.
const wholeOutput = 10 << 20

// keepOutput keeps a long output beside the project and returns its path for tools;
// empty: there is none, or no room for it.
func (s *Service) keepOutput(ctx context.Context, call tools.Call, stream string, whole *os.File) string {
	if whole == nil || call.ProjectID == "" || call.ID == "" {
		return ""
	}
	ctx = context.WithoutCancel(ctx)
	covered, err := s.covered(whole)
	if err != nil {
		return ""
	}
	path, err := s.putOutput(ctx, call, call.ID+"."+stream+".txt", strings.NewReader(covered))
	if err != nil {
		return ""
	}
	return path
}

// putOutput keeps an output beside the project, for file tools to read.
func (s *Service) putOutput(ctx context.Context, call tools.Call, name string,
	content io.Reader) (string, error) {
	files, err := s.Projects.Open(ctx, call.ProjectID)
	if err != nil {
		return "", err
	}
	local, ok := workspace.LocalOf(files)
	if !ok {
		return "", workspace.Errorf(workspace.CodeInternal, name, "the project is not on this machine")
	}
	return local.PutOutput(ctx, name, content)
}

// covered is the text of a file without the secrets that redaction finds.
func (s *Service) covered(whole *os.File) (string, error) {
	data, err := io.ReadAll(whole)
	if err != nil {
		return "", err
	}
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	if s.Redact != nil {
		text = s.Redact(text)
	}
	return text, nil
}

// proxy is the way out of a new session; nil: it has none.
func (s *Service) proxy(c config.Shell) sandbox.Proxy {
	if len(c.AllowHosts) == 0 || c.Policy == "host" {
		return nil
	}
	return egress.New(egress.Settings{Hosts: c.AllowHosts, Connections: c.NetworkConnections,
		IdleTimeout: c.NetworkIdleTimeout.Std(), Logger: s.Logger})
}

func shellSettings(c *config.Config, policy sandbox.Policy, project string, outputLimit int) shell.Settings {
	limit := int(c.Shell.OutputLimit.Bytes())
	if outputLimit > 0 {
		// Both streams and the words around them fit into what a result may hold.
		limit = min(limit, outputLimit*9/20)
	}
	return shell.Settings{
		Policy: policy, Project: project, KeepWhole: wholeOutput, Env: c.Shell.Env, Startup: c.Shell.StartupCommands,
		Shutdown: c.Shell.ShutdownCommands, OutputLimit: limit,
		StartupTimeout: c.Shell.StartupTimeout.Std(), ShutdownTimeout: c.Shell.ShutdownTimeout.Std(),
		Limits: sandbox.Limits{
			Memory: c.Shell.Memory.Bytes(), CPUs: c.Shell.CPUs, Processes: c.Shell.Processes,
			FileSize:  c.Shell.FileSize.Bytes(),
			OpenFiles: 1024, TempSize: max(c.Shell.FileSize.Bytes(), 64<<20), CPUTime: 24 * time.Hour,
		},
	}
}
