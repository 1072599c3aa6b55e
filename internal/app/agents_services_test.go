package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/redact"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// BT9: the profiles of config.yml are the agents that can be talked to, the default one first.
func TestProfilesOfTheConfigurationAreAgents(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.AgentsDepth = 2
	c.Agents = []config.Agent{{ID: "critic", Description: "judges"}, {ID: runs.DefaultAgent, Name: "House"}}
	got := agentSettings(c)
	if got.MaxDepth != 2 || len(got.Profiles) != 2 || got.Profiles[0].Name != "House" ||
		got.Profiles[1].ID != "critic" {
		t.Errorf("settings %+v", got)
	}
}

// BT9 TS7: what tools need is registered, MCP servers are started and follow the
// configuration, and everything ends.
func TestAgentServicesAreRegisteredAndFollowTheConfiguration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := *config.Default()
	c.DataDir, c.WorkspaceRoot = filepath.Join(dir, "data"), filepath.Join(dir, "work")
	c.LLM.DiscoverEnv, c.LLM.DiscoverOllama = false, false
	c.External = map[string]config.External{"coder": {Command: "true", Description: "writes code"}}
	c.MCPServers = map[string]config.MCPServer{"missing": {Command: "no-such-program-of-nanoclaw"}}
	redactor, err := redact.New(redact.Options{ValuesOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(t.Context(), config.Fixed(&c), redactor, slog.New(slog.NewTextHandler(t.Output(), nil)), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	located := &services.Locator{}
	registered, err := registerAgentServices(a, located)
	if err != nil {
		t.Fatal(err)
	}
	external, err := services.Get(located, tools.ExternalAgentsKey)
	if err != nil || len(external.List()) != 1 || external.List()[0].ID != "coder" {
		t.Errorf("external agents: %v", err)
	}
	if _, err := services.Get(located, tools.AgentsKey); err != nil {
		t.Error(err)
	}
	servers, err := services.Get(located, tools.MCPServersKey)
	if err != nil {
		t.Fatal(err)
	}
	registered.start()
	names := func() string {
		var all []string
		for _, status := range servers.Status() {
			all = append(all, status.Name)
		}
		return strings.Join(all, " ")
	}
	if got := names(); got != "missing" {
		t.Errorf("servers %q", got)
	}
	next := c
	next.MCPServers = map[string]config.MCPServer{"other": {Command: os.Args[0] + ".missing"}}
	a.Live.Replace(&next)
	if got := names(); got != "other" {
		t.Errorf("servers after a change: %q", got)
	}
	registered.stop()
	a.Live.Replace(&c)
	if got := names(); got != "" {
		t.Errorf("servers after the end: %q", got)
	}
}
