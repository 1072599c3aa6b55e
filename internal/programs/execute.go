package programs

import (
	"context"
	"maps"

	"nanoclaw/internal/sandbox/shell"
	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/sandboxed"
)

// Execute runs one command in a sandbox, in a shell of its own.
func (s *Service) Execute(ctx context.Context, files *sandboxed.Files,
	command workspace.Command) (_ workspace.Execution, err error) {
	c := s.Live.Current()
	if err := CheckCommand(c, command.Line, ""); err != nil {
		return workspace.Execution{}, err
	}
	policy, err := s.policies.find(ctx, shellPolicy(c))
	if err != nil {
		return workspace.Execution{}, err
	}
	settings := shellSettings(c, policy, files.Dir(), 0)
	if settings.Masked, err = files.Masked(ctx); err != nil {
		return workspace.Execution{}, err
	}
	settings.Proxy, settings.Home, settings.KeepWhole = s.proxy(c.Shell), files.Home(), 0
	if err := s.readyHome(ctx, c, files.Home(), workspace.AccessOf(ctx).UserID); err != nil {
		return workspace.Execution{}, err
	}
	settings.Env = maps.Clone(settings.Env)
	if settings.Env == nil {
		settings.Env = map[string]string{}
	}
	maps.Copy(settings.Env, command.Env)
	timeout := command.Timeout
	if timeout <= 0 {
		timeout = c.Shell.Timeout.Std()
	}
	session := shell.NewSession(settings)
	defer func() {
		if failed := session.Close(context.WithoutCancel(ctx)); err == nil {
			err = failed
		}
	}()
	done, err := session.Run(ctx, shell.Command{Line: command.Line, Dir: command.Dir, Timeout: timeout})
	if err != nil {
		return workspace.Execution{}, err
	}
	if done.Cancelled {
		return workspace.Execution{}, context.Cause(ctx)
	}
	return workspace.Execution{ExitCode: done.ExitCode, Stdout: done.Stdout, Stderr: done.Stderr,
		Duration: done.Duration, TimedOut: done.TimedOut,
		Truncated: done.StdoutDropped > 0 || done.StderrDropped > 0}, nil
}
