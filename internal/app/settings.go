package app

import (
	"time"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/config"
	"nanoclaw/internal/executor"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/workspace"
)

// runSettings are what package runs reads of the configuration.
func runSettings(c *config.Config) runs.Settings {
	return runs.Settings{
		Lease: c.Runs.Lease.Std(), Timeout: c.Runs.Timeout.Std(), DeltaInterval: c.Runs.DeltaInterval.Std(),
		MaxAttempts: c.Runs.MaxAttempts, MaxIterations: c.MaxIterations, SystemPrompt: c.SystemPrompt,
		ClientToolTimeout: c.Runs.ClientToolTimeout.Std(),
		ApprovalTimeout:   c.Guard.ApprovalTimeout.Std(),
		AuditText:         int(c.Retention.AuditText.Bytes()),
		Attached: runs.AttachedLimits{Inline: int(c.Attachments.Inline.Bytes()),
			Preview: int(c.Attachments.Preview.Bytes()), Whole: c.Attachments.Whole.Bytes()},
		Titles: runs.TitleSettings{Generate: c.Titles.Generate, Model: c.Titles.Model},
		SubAgents: agent.Limits{
			MaxIterations: c.SubAgent.MaxIterations, MaxConcurrency: c.SubAgent.MaxConcurrency,
			MaxTasks: c.SubAgent.MaxTasks, Timeout: c.SubAgent.Timeout.Std(),
		},
		Budget: runs.Budget{
			RunTokens: c.Budgets.RunTokens, RunCost: c.Budgets.RunCost,
			UserTokens: c.Budgets.UserTokens, UserCost: c.Budgets.UserCost,
			DayTokens: c.Budgets.DayTokens, DayCost: c.Budgets.DayCost,
		},
	}
}

// executorLimits are what the executor reads of the configuration.
func executorLimits(c *config.Config) executor.Limits {
	limits := executor.Limits{
		Workers: c.ToolMaxWorkers, DefaultTimeout: c.ToolDefaults.Timeout.Std(),
		OutputLimit:  int(c.ToolDefaults.OutputLimit.Bytes()),
		CacheEnabled: c.Cache.Enabled, CacheTTL: c.Cache.TTL.Std(),
		Timeouts: map[string]time.Duration{}, Disabled: map[string]bool{}, Presets: map[string]map[string]any{},
	}
	for name, setting := range c.Tools {
		limits.Disabled[name] = setting.Disabled
		limits.Presets[name] = setting.Preset
		if setting.Timeout > 0 {
			limits.Timeouts[name] = setting.Timeout.Std()
		}
	}
	return limits
}

// profile is an agent of the configuration; the empty id is the default agent,
// which may be configured under its own id like any other.
func profile(c *config.Config, id string) (runs.Profile, bool) {
	if id == "" {
		id = runs.DefaultAgent
	}
	for _, a := range c.Agents {
		if a.ID == id {
			return runs.Profile{
				ID: a.ID, Name: a.Name, Description: a.Description, Model: a.Model, SystemPrompt: a.SystemPrompt,
				Tools: a.Tools, MaxIterations: a.MaxIterations, Presets: a.Presets,
			}, true
		}
	}
	return runs.Profile{ID: runs.DefaultAgent, Name: "NanoClaw", Description: "The default agent, with every tool."},
		id == runs.DefaultAgent
}

// cost prices a model turn with the configured prices, per million tokens.
func cost(c *config.Config, modelID string, usage llm.Usage) float64 {
	for _, m := range c.Models {
		if m.ID == modelID {
			fresh := usage.PromptTokens - usage.CachedTokens
			return (float64(fresh)*m.Price.Input + float64(usage.CachedTokens)*m.Price.Cached +
				float64(usage.CompletionTokens)*m.Price.Output) / 1e6
		}
	}
	return 0
}

func workspaceSettings(c *config.Config) workspace.Settings {
	return workspace.SettingsFrom(c)
}
