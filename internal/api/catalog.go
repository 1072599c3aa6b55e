package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

// Model is a language model that can be chosen.
type Model struct {
	llm.Info
	Default bool `json:"default" doc:"What conversations use that choose none."`
}

// Tool is what a model may call.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description" doc:"As the model reads it."`
	Category    string          `json:"category"`
	Effect      string          `json:"effect" enum:"pure,reads,external,volatile,writes,resumes"`
	Source      string          `json:"source" doc:"built-in, or the name of the MCP server that it comes from."`
	Policy      string          `json:"policy" enum:",sandbox,docker,host" doc:"Where it runs processes; empty: it runs none."`
	Facts       []string        `json:"facts,omitempty" doc:"What the policy enforces on this machine, one sentence each."`
	Disabled    bool            `json:"disabled" doc:"config.yml turns it off."`
	Unavailable string          `json:"unavailable" doc:"Why it is not offered on this machine; empty: it is."`
	Parameters  json.RawMessage `json:"parameters" doc:"JSON Schema of its arguments."`
}

// Place says where a tool runs processes.
type Place struct {
	Policy      string   // sandbox, docker or host; empty: it runs none
	Facts       []string // what the policy enforces on this machine, one sentence each
	Unavailable string   // why it is not offered on this machine; empty: it is
}

// MCPServer is a configured Model Context Protocol server as it is now.
type MCPServer struct {
	Name      string               `json:"name"`
	Transport string               `json:"transport" enum:"stdio,http"`
	State     tools.MCPServerState `json:"state" enum:"starting,ready,restarting,unauthorized"`
	Since     time.Time            `json:"since" doc:"Of the state."`
	Error     string               `json:"error" doc:"Of the last attempt; empty while it is ready."`
	Problems  []string             `json:"problems" doc:"Tools that cannot be offered as they are, and why."`
	Tools     []string             `json:"tools" doc:"Names under which its tools are offered."`

	AuthorizationURL string `json:"authorization_url,omitempty" doc:"Of state unauthorized: the page on which a person allows the use of the server."`
}

// Agent is a profile that a conversation can be opened with.
type Agent struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Model       string   `json:"model" doc:"Empty: the default model."`
	Tools       []string `json:"tools" doc:"Names or globs; empty: all."`
	Default     bool     `json:"default"`
}

type listOutput[T any] struct{ Body *List[T] }

func (s *server) registerCatalog() {
	handle(s, op("GET", "/models", "list-models", "Catalog", "Models that can be chosen, and why others cannot"),
		s.listModels)
	s.registerModelTest()
	handle(s, op("GET", "/tools", "list-tools", "Catalog", "Tools that agents may call"), s.listTools)
	handle(s, op("GET", "/mcp", "list-mcp-servers", "Catalog", "Model Context Protocol servers, and how they are",
		needs(rightAdmin)),
		s.listMCP)
	handle(s, op("GET", "/mcp/{name}/log", "read-mcp-log", "Catalog",
		"What a Model Context Protocol server said lately, and what became of it", needs(rightAdmin)), s.readMCPLog)
	handle(s, op("POST", "/mcp/{name}/restart", "restart-mcp-server", "Catalog",
		"End a Model Context Protocol server and start it again", needs(rightAdmin)), s.restartMCP)
	handle(s, op("GET", "/mcp/prompts", "list-mcp-prompts", "Catalog",
		"Prompts of the Model Context Protocol servers that are ready"), s.listMCPPrompts)
	handle(s, op("POST", "/mcp/prompts/{server_name}/{name}", "fill-mcp-prompt", "Catalog",
		"A prompt with its arguments filled in, as text to begin with",
		describe("Nothing is sent to a model. A slash in the name is written %2F."), needs(rightRead)), s.fillMCPPrompt)
	s.plain(op("GET", "/mcp/oauth/callback", "authorize-mcp-server", "Catalog",
		"Where an authorization server sends a person's browser back to",
		needs(rightPublic), params(queryParam("state", "string", "Of authorization_url."), queryParam("code", "string",
			"Absent: the person refused."), queryParam("iss", "string", "Issuer.")),
		answers("200", "What came of it.", "text/plain", &huma.Schema{Type: "string"})), s.authorizeMCP)
	handle(s, op("GET", "/agents", "list-agents", "Catalog", "Agents that a conversation can be opened with"),
		s.listAgents)
}

func (s *server) listModels(context.Context, *struct{}) (*listOutput[Model], error) {
	chosen := s.Models.Default()
	var list []Model
	for _, info := range s.Models.List() {
		list = append(list, Model{Info: info, Default: info.ID == chosen})
	}
	return &listOutput[Model]{wholeList(list)}, nil
}

func (s *server) listTools(ctx context.Context, _ *struct{}) (*listOutput[Tool], error) {
	c := s.Live.Current()
	sources := map[string]string{}
	for _, m := range s.mcpServers() {
		for _, name := range m.Tools {
			sources[name] = m.Name
		}
	}
	var list []Tool
	for _, t := range s.Registry.List() {
		view := Tool{
			Name: t.Name, Description: t.Description, Category: t.Category, Effect: string(t.Effect),
			Source:   sources[t.Name],
			Disabled: c.Tools[t.Name].Disabled, Parameters: t.ToDefinition().Function.Parameters,
		}
		if view.Source == "" {
			view.Source = "built-in"
		}
		if s.Places != nil {
			place := s.Places(ctx, t.Name)
			view.Policy, view.Facts, view.Unavailable = place.Policy, place.Facts, place.Unavailable
		}
		list = append(list, view)
	}
	return &listOutput[Tool]{wholeList(list)}, nil
}

func (s *server) mcpServers() []tools.MCPServerStatus {
	if s.MCP == nil {
		return nil
	}
	return s.MCP.Status()
}

func (s *server) listMCP(context.Context, *struct{}) (*listOutput[MCPServer], error) {
	configured := s.Live.Current().MCPServers
	list := []MCPServer{}
	for _, m := range s.mcpServers() {
		view := MCPServer{
			Name: m.Name, Transport: "stdio", State: m.State, Since: m.Since, Error: m.Error,
			Problems: append([]string{}, m.Problems...), Tools: append([]string{}, m.Tools...),
			AuthorizationURL: m.AuthorizationURL,
		}
		if configured[m.Name].URL != "" {
			view.Transport = "http"
		}
		list = append(list, view)
	}
	return &listOutput[MCPServer]{wholeList(list)}, nil
}

type mcpServerPath struct {
	Name string `path:"name"`
}

func (s *server) readMCPLog(_ context.Context, in *mcpServerPath) (*listOutput[tools.MCPLogLine], error) {
	if s.MCP != nil {
		if lines, known := s.MCP.Log(in.Name); known {
			return &listOutput[tools.MCPLogLine]{wholeList(lines)}, nil
		}
	}
	return nil, noMCPServer(in.Name)
}

func (s *server) restartMCP(_ context.Context, in *mcpServerPath) (*struct{}, error) {
	if s.MCP == nil || !s.MCP.Restart(in.Name) {
		return nil, noMCPServer(in.Name)
	}
	return nil, nil
}

func noMCPServer(name string) *Problem {
	return newProblem(http.StatusNotFound, codeNotFound, "there is no MCP server "+quoted(name))
}

func (s *server) authorizeMCP(c echo.Context) error {
	if s.Authorized == nil {
		return newProblem(http.StatusNotFound, codeNotFound, "there are no MCP servers")
	}
	code := c.QueryParam("code")
	if err := s.Authorized(c.QueryParam("state"), code, c.QueryParam("iss")); err != nil {
		return err
	}
	if code == "" {
		return c.String(http.StatusOK, "The server was not authorized. You can close this page.\n")
	}
	return c.String(http.StatusOK, "Thank you. The settings show whether it worked; you can close this page.\n")
}

func (s *server) listMCPPrompts(ctx context.Context, _ *struct{}) (*listOutput[tools.MCPPrompt], error) {
	list := []tools.MCPPrompt{}
	if s.Prompts != nil {
		list = s.Prompts.Prompts(ctx)
	}
	return &listOutput[tools.MCPPrompt]{wholeList(list)}, nil
}

type fillPromptInput struct {
	Server string `path:"server_name"`
	Name   string `path:"name"`
	Body   struct {
		Arguments map[string]string `json:"arguments,omitempty"`
	}
}

// Resolve reads the names as they were before the path was escaped: they may hold
// slashes.
func (in *fillPromptInput) Resolve(ctx huma.Context) []error {
	address := ctx.URL()
	segments := strings.Split(address.EscapedPath(), "/")
	for i, into := range []*string{&in.Name, &in.Server} {
		name, err := url.PathUnescape(segments[len(segments)-1-i])
		if err != nil {
			return []error{err}
		}
		*into = name
	}
	return nil
}

type mcpPromptOutput struct{ Body *tools.MCPPromptText }

func (s *server) fillMCPPrompt(ctx context.Context, in *fillPromptInput) (*mcpPromptOutput, error) {
	if s.Prompts == nil {
		return nil, newProblem(http.StatusNotFound, codeNotFound, "there are no MCP servers")
	}
	text, err := s.Prompts.Prompt(ctx, in.Server, in.Name, in.Body.Arguments)
	if err != nil {
		return nil, err
	}
	return &mcpPromptOutput{&text}, nil
}

func (s *server) listAgents(context.Context, *struct{}) (*listOutput[Agent], error) {
	list := []Agent{}
	hasDefault := false
	for _, a := range s.Live.Current().Agents {
		agent := Agent{ID: a.ID, Name: a.Name, Description: a.Description, Model: a.Model, Tools: a.Tools,
			Default: a.ID == runs.DefaultAgent}
		if agent.Tools == nil {
			agent.Tools = []string{}
		}
		hasDefault = hasDefault || agent.Default
		list = append(list, agent)
	}
	if !hasDefault {
		profile, _ := s.Runs.Profile("")
		list = append([]Agent{{
			ID: runs.DefaultAgent, Name: profile.Name, Description: profile.Description, Tools: []string{},
			Default: true,
		}}, list...)
	}
	return &listOutput[Agent]{wholeList(list)}, nil
}
