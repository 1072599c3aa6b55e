package builtin

import (
	"context"
	_ "embed"
	"errors"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed agent_list.md
var listAgentsDoc string

func init() {
	tools.Register(tools.Define("list_agents", listAgentsDoc, listAgents,
		tools.Category("agent"), tools.Effect(tools.Volatile),
		tools.Tailor(func(_ context.Context, call tools.Call, _ *tools.Shape) bool {
			return len(otherAgents(call)) > 0 || len(externalAgents(call)) > 0
		})))
}

type listAgentsResult struct {
	Agents []agentEntry `json:"agents"`
}

type agentEntry struct {
	ID          string `json:"id"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	Tool        string `json:"tool"` // by which it is talked to
}

func listAgents(_ context.Context, call tools.Call, _ struct{}) (listAgentsResult, error) {
	result := listAgentsResult{Agents: []agentEntry{}}
	agents, err := services.Get(call.Services, tools.AgentsKey)
	if err != nil {
		return result, err
	}
	for _, agent := range agents.Profiles() {
		result.Agents = append(result.Agents, agentEntry{ID: agent.ID, Name: agent.Name, Description: agent.Description,
			Tool: "chat_with_agent"})
	}
	external, err := services.Get(call.Services, tools.ExternalAgentsKey)
	var missing *services.MissingError
	if errors.As(err, &missing) {
		return result, nil // a server without external agents
	}
	if err != nil {
		return result, err
	}
	for _, agent := range external.List() {
		result.Agents = append(result.Agents, agentEntry{ID: agent.ID, Name: agent.Name, Description: agent.Description,
			Tool: "delegate_external_agent"})
	}
	return result, nil
}
