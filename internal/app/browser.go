package app

import (
	"context"

	"nanoclaw/internal/api"
	"nanoclaw/internal/browser"
	"nanoclaw/internal/config"
	"nanoclaw/internal/netsafe"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// registerBrowser makes the browser available to tools. Nothing is started yet.
func (a *App) registerBrowser(c *config.Config) {
	a.browser = browser.New(browser.Options{
		Settings: func() browser.Settings { return browserSettings(a.Live.Current()) },
		Policy:   a.programs.Sandbox, Dir: c.DataDir, Logger: a.Logger,
	})
	services.Register[tools.Browser](a.locator, tools.BrowserKey, a.browser)
}

func browserSettings(c *config.Config) browser.Settings {
	b := c.Browser
	return browser.Settings{
		Enabled: b.Enabled, Program: b.Program, Timeout: b.Timeout.Std(), IdleTimeout: b.IdleTimeout.Std(),
		Conversations: b.Conversations, Tabs: b.Tabs, Memory: b.Memory.Bytes(), PageMemory: b.PageMemory.Bytes(),
		SnapshotLimit: int(b.SnapshotLimit.Bytes()), Download: c.Workspace.MaxFileSize.Bytes(),
		Network: netsafe.Policy{AllowPrivate: c.Fetch.AllowPrivate, AllowedHosts: c.Fetch.AllowedHosts},
	}
}

// browserPlace says where Chromium runs, for people to see.
func (a *App) browserPlace(ctx context.Context) api.Place {
	place := api.Place{Unavailable: a.browser.Unavailable(ctx)}
	if policy, err := a.programs.Sandbox(ctx); err == nil && place.Unavailable == "" {
		place.Policy, place.Facts = policy.Name(), browser.Facts()
	}
	return place
}

// processes are what runs for conversations and projects.
type processes struct{ a *App }

var _ api.Processes = processes{}

// EndConversation implements api.Processes.
func (p processes) EndConversation(ctx context.Context, conversationID string) error {
	p.a.browser.EndConversation(conversationID)
	return p.a.programs.EndConversation(ctx, conversationID)
}

// EndProject implements api.Processes.
func (p processes) EndProject(ctx context.Context, projectID string) error {
	return p.a.programs.EndProject(ctx, projectID)
}
