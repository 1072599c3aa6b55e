package app

import (
	"fmt"
	"path/filepath"

	"nanoclaw/internal/acp"
	"nanoclaw/internal/config"
	"nanoclaw/internal/mcp"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// agentServices are the other agents and programs that a run can reach: profiles,
// external agents, MCP servers.
type agentServices struct {
	live    *config.Live
	servers *mcp.Servers
	cancel  func() // of the subscription to the configuration; nil: not started
}

// registerAgentServices makes them known to tools. Nothing is started before start.
func registerAgentServices(a *App, l *services.Locator) (*agentServices, error) {
	if a.Runs == nil || a.Projects == nil {
		return nil, fmt.Errorf("register the services for agents: runs and projects have to be built first")
	}
	s := &agentServices{live: a.Live, servers: mcp.New(mcp.Options{
		Registry: a.Registry, Redact: a.Redactor.String, Logger: a.Logger, People: people{a},
		TokensFile:     filepath.Join(a.Live.Current().DataDir, "mcp-tokens.json"),
		SecretsChanged: func() { a.coverSecrets(a.Live.Current()) },
	})}
	services.Register(l, tools.AgentsKey,
		a.Runs.Agents(func() runs.AgentSettings { return agentSettings(a.Live.Current()) }))
	services.Register(l, tools.TasksKey, a.Runs.Tasks(func() int { return a.Live.Current().Tasks.MaxActive }))
	services.Register[tools.ExternalAgents](l, tools.ExternalAgentsKey, a.programs.Watched(
		acp.New(acp.Options{
			Configured: func() map[string]config.External { return a.Live.Current().External },
			Files:      a.Projects, Decide: a.decideExternal, Redact: a.Redactor.String, Logger: a.Logger,
		})))
	services.Register[tools.MCPServers](l, tools.MCPServersKey, s.servers)
	a.agents = s
	a.coverSecrets(a.Live.Current())
	return s, nil
}

// start begins to start the MCP servers, and follows the configuration. It waits
// for none of them.
func (s *agentServices) start() {
	s.cancel = s.live.Subscribe(func(_, next *config.Config) { s.servers.Apply(next.MCPServers) })
	for c := s.live.Current(); ; { // until no change came in between
		s.servers.Apply(c.MCPServers)
		next := s.live.Current()
		if next == c {
			return
		}
		c = next
	}
}

// stop ends the MCP servers and waits for them. It comes behind the end of all
// runs, which may be calling their tools.
func (s *agentServices) stop() {
	if s.cancel != nil {
		s.cancel()
	}
	s.servers.Close()
}

// agentSettings are what chat_with_agent and list_agents read of the configuration.
func agentSettings(c *config.Config) runs.AgentSettings {
	standard, _ := profile(c, runs.DefaultAgent)
	settings := runs.AgentSettings{MaxDepth: c.AgentsDepth, Profiles: []runs.Profile{standard}}
	for _, a := range c.Agents {
		if one, found := profile(c, a.ID); found && a.ID != runs.DefaultAgent {
			settings.Profiles = append(settings.Profiles, one)
		}
	}
	return settings
}
