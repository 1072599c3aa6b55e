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
		tools.Category("agent"), tools.Effect(tools.Writes), tools.Timeout(-1)))
}

type delegateExternalAgentArgs struct {
	Agent   string `json:"agent" jsonschema:"name of the external agent, as list_agents shows it" minLength:"1"`
	Message string `json:"message" jsonschema:"the whole task, with all that it must know" minLength:"1"`

	ProjectID string `json:"project_id,omitempty" inject:"project_id"`
}

func delegateExternalAgent(ctx context.Context, call tools.Call, args delegateExternalAgentArgs) (tools.ExternalAnswer, error) {
	agents, err := services.Get(call.Services, tools.ExternalAgentsKey)
	if err != nil {
		return tools.ExternalAnswer{}, err
	}
	call.ProjectID = args.ProjectID
	return agents.Delegate(ctx, call, args.Agent, args.Message)
}
