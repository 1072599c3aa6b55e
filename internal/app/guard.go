package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync/atomic"

	"nanoclaw/internal/config"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/programs"
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
		ProjectDir: func(ctx context.Context, _, projectID string) (string, error) {
			project, err := a.Store.AnyProject(ctx, projectID)
			if err != nil {
				return "", err
			}
			return project.Path, nil // empty for one under workspace_root
		},
		Mode: func(ctx context.Context, call tools.Call) (string, error) {
			return runs.PermissionMode(ctx, a.Store, call.UserID, call.ConversationID)
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
	s = programs.Isolation(c, s)
	for _, a := range c.Agents {
		s.Profiles[a.ID] = a.Permissions
	}
	secretsFile := ""
	if file != "" {
		secretsFile = config.SecretsFile(file)
	}
	s.Profiles[""] = s.Profiles[runs.DefaultAgent] // a call without a profile is the default agent's
	for name := range c.Databases {
		s.Databases[name] = true
	}
	for _, own := range []string{filepath.Join(c.WorkspaceRoot, ".trash"), filepath.Join(c.DataDir, "versions"),
		c.DataDir, c.Database.SQLiteFile, file, secretsFile} {
		s.Protected = append(s.Protected, config.AbsolutePaths(own)...)
	}
	return s
}

// commandAnswer is what the configured lists of commands say.
func commandAnswer(c *config.Config, line string) guard.CommandAnswer {
	line, _ = shellanalysis.Mend(line)
	err := programs.CommandPolicy(c).Check(line)
	var refused *commandpolicy.RefusedError
	if !errors.As(err, &refused) {
		return guard.CommandAnswer{} // nothing against it, or bash would not understand it either
	}
	if refused.Undecided {
		return guard.CommandAnswer{Unclear: refused.Message}
	}
	return guard.CommandAnswer{Refused: refused.Message}
}
