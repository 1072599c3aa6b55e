package app

import (
	"context"

	"nanoclaw/internal/api"
	"nanoclaw/internal/config"
	"nanoclaw/internal/programs"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// registerPrograms makes the shell and Python available to tools.
func (a *App) registerPrograms() (err error) {
	a.programs, err = programs.New(programs.Options{
		Live: a.Live, Projects: a.Projects, Changes: a.Undo, Redact: a.Redactor.String, Logger: a.Logger,
		UserName: func(ctx context.Context, userID string) string {
			user, err := a.Store.GetUser(ctx, userID)
			if err != nil {
				return "" // whose call it is does not hold up the command
			}
			return user.Name
		},
		Anomaly: func(call tools.Call, kind, detail string) {
			a.metrics.Anomaly(call.Tool, kind)
			a.notices.Alert(call, kind, detail)
		},
		Started: a.metrics.SandboxStart,
	})
	if err != nil {
		return err
	}
	services.Register(a.locator, tools.ShellKey, a.programs.Shell())
	services.Register(a.locator, tools.PythonKey, a.programs.Python())
	services.Register(a.locator, tools.MediaKey, a.programs.Media())
	return nil
}

// toolPlace says where a tool runs processes, for people to see.
func (a *App) toolPlace(ctx context.Context, name string) api.Place {
	if name == "browser_use" {
		return a.browserPlace(ctx)
	}
	place := api.Place{Unavailable: a.programs.ToolOff(ctx, name)}
	if policy, err := a.programs.Policy(ctx, name); err == nil && policy != nil && place.Unavailable == "" {
		place.Policy, place.Facts = policy.Name(), policy.Facts()
	}
	return place
}

// offerTemplates makes the command templates of a configuration tools.
func (a *App) offerTemplates(c *config.Config) error {
	made, err := a.programs.Templates(c.Shell.Templates)
	if err != nil {
		return err
	}
	return a.Registry.SetGroup(programs.TemplateGroup, made)
}
