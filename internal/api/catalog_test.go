package api

import (
	"context"
	"slices"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/process"
	"nanoclaw/internal/tools"
)

// CH8: the settings show how the MCP servers are, and where a tool runs processes.
func TestMCPServersAndTheToolsThatComeFromThemAreListed(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(_ *house, c *config.Config) {
		c.MCPServers = map[string]config.MCPServer{"far": {URL: "https://example.com"}, "near": {Command: "near"}}
	})
	h.server.MCP = &mcpServers{status: []tools.MCPServerStatus{
		{Name: "far", State: tools.MCPRestarting, Error: "refused", Since: time.Unix(1, 0).UTC()},
		{Name: "near", State: tools.MCPReady, Tools: []string{"echo"}, Since: time.Unix(2, 0).UTC()},
	}}
	h.server.Places = func(_ context.Context, tool string) Place {
		if tool == "echo" {
			return Place{Policy: "sandbox", Facts: []string{"It is safe."}}
		}
		return Place{Unavailable: "no engine"}
	}
	servers := into[List[MCPServer]](h.do("GET", "/api/v1/mcp", nil).is(200, `"since":"1970-01-01T00:00:01Z"`)).Items
	if len(servers) != 2 || servers[0].Transport != "http" || servers[0].Error != "refused" ||
		servers[0].Tools == nil ||
		servers[1].Transport != "stdio" || servers[1].State != tools.MCPReady || len(servers[1].Tools) != 1 {
		t.Errorf("servers %+v", servers)
	}
	list := into[List[Tool]](h.do("GET", "/api/v1/tools", nil).is(200)).Items
	if list[0].Source != "near" || list[0].Policy != "sandbox" || len(list[0].Facts) != 1 ||
		list[1].Source != "built-in" || list[1].Unavailable != "no engine" {
		t.Errorf("tools %+v", list)
	}
}

// mcpServers are servers of which "near" can be restarted.
type mcpServers struct {
	status    []tools.MCPServerStatus
	restarted int
}

func (m *mcpServers) Status() []tools.MCPServerStatus { return m.status }

func (m *mcpServers) Log(name string) ([]tools.MCPLogLine, bool) {
	return []tools.MCPLogLine{{Time: time.Unix(1, 0).UTC(), Kind: tools.MCPLogStderr, Text: "hello"}}, name == "near"
}

func (m *mcpServers) Restart(name string) bool {
	m.restarted++
	return name == "near"
}

// F18: an administrator reads what a server said, and starts it again.
func TestAnMCPServerIsRestartedAndItsLogRead(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.do("GET", "/api/v1/mcp/near/log", nil).is(404, "near")
	h.do("POST", "/api/v1/mcp/near/restart", nil).is(404, "near")
	servers := &mcpServers{}
	h.server.MCP = servers
	h.do("GET", "/api/v1/mcp/near/log", nil).is(200, `"kind":"stderr"`, `"text":"hello"`)
	h.do("GET", "/api/v1/mcp/far/log", nil).is(404, "far")
	h.do("POST", "/api/v1/mcp/near/restart", nil).is(204)
	h.do("POST", "/api/v1/mcp/far/restart", nil).is(404, "far")
	if servers.restarted != 2 {
		t.Errorf("%d restarts", servers.restarted)
	}
}

func TestAServerWithoutMCPServersListsNone(t *testing.T) {
	t.Parallel()
	newHouse(t).do("GET", "/api/v1/mcp", nil).is(200, `"items":[]`)
}

type prompts struct{ called []string }

func (p *prompts) Prompts(context.Context) []tools.MCPPrompt {
	return []tools.MCPPrompt{{Server: "far", Name: "review/code", Arguments: []tools.MCPPromptArgument{{Name: "file",
		Required: true}}}}
}

func (p *prompts) Prompt(_ context.Context, server, name string,
	arguments map[string]string) (tools.MCPPromptText, error) {
	p.called = append(p.called, server+" "+name+" "+arguments["file"])
	if arguments["file"] == "" {
		return tools.MCPPromptText{}, tools.Errorf("mcp_error", "it failed")
	}
	return tools.MCPPromptText{Messages: []tools.MCPPromptMessage{{Role: "user", Text: "review it"}}}, nil
}

// Issue 10: people list the prompts of MCP servers and fill them in.
func TestPromptsOfMCPServersCanBeUsed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.do("GET", "/api/v1/mcp/prompts", nil).is(200, `"items":[]`)
	h.do("POST", "/api/v1/mcp/prompts/far/x", map[string]any{}).is(404, "there are no MCP servers")
	fake := &prompts{}
	h.server.Prompts = fake
	h.do("GET", "/api/v1/mcp/prompts", nil).is(200, `"name":"review/code"`, `"required":true`)
	h.do("POST", "/api/v1/mcp/prompts/far/review%2Fcode",
		map[string]any{"arguments": map[string]string{"file": "a"}}).is(200, `"text":"review it"`)
	h.do("POST", "/api/v1/mcp/prompts/far/x", map[string]any{}).is(502, `"code":"mcp_error"`)
	if want := "far review/code a"; len(fake.called) == 0 || fake.called[0] != want {
		t.Errorf("called %q, want %q", fake.called, want)
	}
}

// Issue 10: the page to which an authorization server sends a person's browser back, from its own site.
func TestABrowserComesBackFromAnAuthorizationServer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const path = "/api/v1/mcp/oauth/callback"
	h.do("GET", path+"?state=s&code=c", nil).is(404)
	var came []string
	h.server.Authorized = func(state, code, issuer string) error {
		came = append(came, state+" "+code+" "+issuer)
		if state != "s" {
			return tools.Errorf("not_found", "no MCP server waits for this")
		}
		return nil
	}
	h.do("GET", path+"?state=s&code=c&iss=i", nil, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate",
		"Sec-Fetch-Dest", "document").is(200, "Thank you")
	h.do("GET", path+"?state=s&error=access_denied", nil).is(200, "was not authorized")
	h.do("GET", path+"?state=x&code=c", nil).is(404, "no MCP server waits")
	if want := []string{"s c i", "s  ", "x c "}; !slices.Equal(came, want) {
		t.Errorf("came %q, want %q", came, want)
	}
}

type trials struct{ asked []config.Model }

func (tr *trials) Try(_ context.Context, cfg config.Model) error {
	tr.asked = append(tr.asked, cfg)
	if cfg.APIKey != "good" {
		return &llm.Error{Code: llm.CodeAuth, Message: "the key was refused"}
	}
	return nil
}

func (tr *trials) TryID(_ context.Context, id string) error {
	return &llm.Error{Code: llm.CodeNotFound, Message: "there is no model " + id}
}

// F1: before a model is written to config.yml a person sees whether it works.
func TestAModelIsTestedBeforeItIsConfigured(t *testing.T) {
	t.Setenv("NANOCLAW_TEST_MODEL_KEY", "good")
	h := newHouse(t)
	const path = "/api/v1/models/test"
	h.do("POST", path, m{"id": "x"}).is(404, "cannot test models")
	fake := &trials{}
	h.server.TryModels = fake
	h.do("GET", "/api/v1/models/providers", nil).is(200, `"name":"DeepSeek"`, `"key_name":"DEEPSEEK_API_KEY"`)
	h.do("POST", path, m{}).is(422, "send the id of a model")
	h.do("POST", path, m{"id": "x"}).is(200, `"ok":false`, `"code":"model_not_found"`)
	there := m{"base_url": "http://127.0.0.1:9/v1", "model": "some", "api_key": "bad"}
	h.do("POST", path, there).is(200, `"ok":false`, `"code":"model_auth"`, "the key was refused")
	there["api_key"] = "${NANOCLAW_TEST_MODEL_KEY}"
	h.do("POST", path, there).is(200, `"ok":true`, `"code":""`)
	there["api_key"] = "${"
	h.do("POST", path, there).is(422, "without an end")
	h.caller = process.Below
	h.do("POST", path, there).is(403, "not_a_person")
}
