package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync/atomic"

	"nanoclaw/internal/config"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/sandbox/commandpolicy"
	"nanoclaw/internal/shellanalysis"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// toolGuard is the guard with the settings that it goes by.
type toolGuard struct {
	*guard.Engine
	settings atomic.Pointer[guard.Settings]
}

// newGuard builds the guard of tool calls. ledger may be nil.
func newGuard(a *App, ledger guard.Ledger) (*toolGuard, error) {
	g := &toolGuard{}
	if err := g.configure(a.Live, a.Live.Current()); err != nil {
		return nil, err
	}
	engine, err := guard.New(guard.Options{
		Settings: func() guard.Settings { return *g.settings.Load() }, Ledger: ledger, Logger: a.Logger,
		Role: func(ctx context.Context, userID string) (string, error) {
			user, err := a.Store.GetUser(ctx, userID)
			if err != nil {
				return "", err
			}
			return user.Role, nil
		},
		ProjectDir: func(ctx context.Context, userID, projectID string) (string, error) {
			project, err := a.Store.GetProject(ctx, userID, projectID)
			if err != nil {
				return "", err
			}
			return project.Path, nil // empty for one under workspace_root
		},
		RealPath: func(ctx context.Context, projectID, path string) (string, error) {
			files, err := a.Projects.Open(ctx, projectID)
			if err != nil {
				return "", err
			}
			real, err := workspace.RealPath(ctx, files, path)
			switch workspace.Code(tools.CodeOf(err)) {
			case workspace.CodeAccessDenied, workspace.CodeInvalidArgument, workspace.CodeNotADirectory:
				return "", nil // no tool gets there either
			}
			return real, err
		},
	})
	g.Engine = engine
	return g, err
}

// configure compiles the rules of a configuration. On an error the old ones stay.
func (g *toolGuard) configure(live *config.Live, c *config.Config) error {
	settings, err := guardSettings(c, live.File()).Compile()
	if err != nil {
		return err
	}
	g.settings.Store(&settings)
	return nil
}

// guardSettings are what the guard reads of the configuration.
func guardSettings(c *config.Config, file string) guard.Settings {
	s := guard.Settings{
		Guard: c.Guard, Limits: c.ToolLimits, Profiles: map[string][]config.Permission{"": nil, runs.DefaultAgent: nil},
		Databases: map[string]bool{}, Addresses: []string{c.Listen},
		Command: func(line string) guard.CommandAnswer { return commandAnswer(c, line) },
	}
	if c.Shell.Policy == "host" {
		// Nothing hides files there: a person has to look at who reads them.
		s.Guard.SensitivePaths = slices.Concat(s.Guard.SensitivePaths, c.Workspace.DeniedNames)
	}
	s = isolation(c, s)
	for _, a := range c.Agents {
		s.Profiles[a.ID] = a.Permissions
	}
	s.Profiles[""] = s.Profiles[runs.DefaultAgent] // a call without a profile is the default agent's
	for name := range c.Databases {
		s.Databases[name] = true
	}
	for _, own := range []string{filepath.Join(c.WorkspaceRoot, ".trash"), filepath.Join(c.DataDir, "versions"),
		c.DataDir, c.Database.SQLiteFile, file} {
		s.Protected = append(s.Protected, ownPaths(own)...)
	}
	return s
}

// ownPaths are the absolute ways to a path of the server's own.
func ownPaths(path string) []string {
	if path == "" {
		return nil
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil && real != absolute {
		return []string{absolute, real}
	}
	return []string{absolute}
}

// commandAnswer is what the configured lists of commands say.
func commandAnswer(c *config.Config, line string) guard.CommandAnswer {
	line, _ = shellanalysis.Mend(line)
	err := commandPolicy(c).Check(line)
	var refused *commandpolicy.RefusedError
	if !errors.As(err, &refused) {
		return guard.CommandAnswer{} // nothing against it, or bash would not understand it either
	}
	if refused.Undecided {
		return guard.CommandAnswer{Unclear: refused.Message}
	}
	return guard.CommandAnswer{Refused: refused.Message}
}

func commandPolicy(c *config.Config) commandpolicy.Policy {
	return commandpolicy.Policy{Mode: c.Shell.EffectiveMode(c.Environment), Allow: c.Shell.Allow, Deny: c.Shell.Deny}
}

// checkCommand applies the configured lists and the built-in rules. A line that bash would
// not understand runs nothing, and the session says so. What is undecided runs where a
// person approved it; what only a built-in rule asks about runs, too, where the guard,
// which knows the rules in force, let it pass.
func checkCommand(c *config.Config, line string, cleared tools.Clearance) error {
	line, _ = shellanalysis.Mend(line)
	if refused := guard.RefuseCommand(isolation(c, guard.Settings{}), line, cleared != ""); refused != "" {
		return &commandpolicy.RefusedError{Message: refused}
	}
	err := commandPolicy(c).Check(line)
	var syntax *shellanalysis.SyntaxError
	var refused *commandpolicy.RefusedError
	if errors.As(err, &syntax) || errors.As(err, &refused) && refused.Undecided && cleared == tools.Approved {
		return nil
	}
	return err
}

// isolation adds to the guard's settings where commands and code run.
func isolation(c *config.Config, s guard.Settings) guard.Settings {
	s.ShellIsolated = c.Shell.Policy != "host"
	s.ShellNetwork = len(c.Shell.AllowHosts) > 0
	s.PythonIsolated = !c.CodeExecution.AllowHost
	return s
}
