package app

import (
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// registerToolServices registers what the built-in tools look up beside
// workspaces and agents: the network tools' configuration, users, the count of
// tokens, the named databases, and what placeholders stand for.
func registerToolServices(a *App, l *services.Locator) {
	services.Register[tools.Web](l, tools.WebKey, toolWeb{a.Live})
	services.Register[tools.FileStore](l, tools.FileStoreKey, sentFiles{a.Store, a.Live})
	services.Register[tools.ImageStore](l, tools.ImageStoreKey, resultImages{a.Store, a.Live, a.Logger})
	services.Register[tools.Users](l, tools.UsersKey, toolUsers{a.Store})
	services.Register[tools.Usage](l, tools.UsageKey, toolUsage{a.Store})
	services.Register[tools.Databases](l, tools.DatabasesKey, toolDatabases{a.Live})
	if a.Redactor != nil {
		services.Register[tools.Placeholders](l, tools.PlaceholdersKey, newPlaceholders(a.Redactor, a.Undo))
	}
}
