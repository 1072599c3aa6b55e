package builtin

import (
	"context"
	_ "embed"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed agent_delegate.md
var delegateExternalAgentDoc string

func init() {
	// The time limit is that of the agent in external_agents.
	tools.Register(tools.Define("delegate_external_agent", delegateExternalAgentDoc, delegateExternalAgent,
		tools.Category("agent"), tools.Effect(tools.Writes), tools.Timeout(-1), tools.AnyFile(),
		tools.Tailor(func(_ context.Context, call tools.Call, shape *tools.Shape) bool {
			names := externalAgents(call)
			shape.Enum("agent", names...)
			return len(names) > 0
		}),
		tools.Preflight(func(_ context.Context, call tools.Call, args delegateExternalAgentArgs) error {
			agents, err := services.Get(call.Services, tools.ExternalAgentsKey)
			if err != nil {
				return err
			}
			return agents.Check(args.Agent, args.Message)
		})))
}

type delegateExternalAgentArgs struct {
	Agent   string `json:"agent" jsonschema:"its name, from list_agents" minLength:"1"`
	Message string `json:"message" jsonschema:"all that it must know" minLength:"1"`

	ProjectID string `json:"project_id,omitempty" inject:"project_id"`
}

func delegateExternalAgent(ctx context.Context, call tools.Call,
	args delegateExternalAgentArgs) (tools.ExternalAnswer, error) {
	agents, err := services.Get(call.Services, tools.ExternalAgentsKey)
	if err != nil {
		return tools.ExternalAnswer{}, err
	}
	return agents.Delegate(ctx, call, args.Agent, args.Message)
}

// externalAgents are the names of the configured external agents.
func externalAgents(call tools.Call) []string {
	agents, err := services.Get(call.Services, tools.ExternalAgentsKey)
	if err != nil {
		return nil // a server without external agents
	}
	var names []string
	for _, agent := range agents.List() {
		names = append(names, agent.ID)
	}
	return names
}
