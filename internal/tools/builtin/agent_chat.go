package builtin

import (
	"context"
	_ "embed"
	"fmt"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed agent_chat.md
var chatWithAgentDoc string

func init() {
	tools.Register(tools.Define("chat_with_agent", chatWithAgentDoc, chatWithAgent,
		tools.Category("agent"), tools.Effect(tools.Resumes), tools.Timeout(-1),
		tools.Tailor(func(_ context.Context, call tools.Call, shape *tools.Shape) bool {
			ids := otherAgents(call)
			shape.Enum("agent", ids...)
			return len(ids) > 0
		}),
		tools.Preflight(func(_ context.Context, call tools.Call, args chatWithAgentArgs) error {
			agents, err := services.Get(call.Services, tools.AgentsKey)
			if err != nil {
				return err
			}
			return agents.Check(args.Agent, args.Message)
		})))
}

type chatWithAgentArgs struct {
	Agent     string `json:"agent" jsonschema:"its id, from list_agents" minLength:"1"`
	Message   string `json:"message" jsonschema:"the message" minLength:"1"`
	SessionID string `json:"session_id,omitempty" jsonschema:"session to go on with; default: a new one"`
}

type chatWithAgentResult struct {
	Agent      string `json:"agent"`
	SessionID  string `json:"session_id"`
	Response   string `json:"response"`
	Incomplete bool   `json:"incomplete,omitempty"`
	RunID      string `json:"run_id"`
}

func chatWithAgent(ctx context.Context, call tools.Call, args chatWithAgentArgs) (chatWithAgentResult, error) {
	agents, err := services.Get(call.Services, tools.AgentsKey)
	if err != nil {
		return chatWithAgentResult{}, err
	}
	answer, err := agents.Chat(ctx, call, tools.AgentMessage{Agent: args.Agent, Text: args.Message,
		SessionID: args.SessionID})
	if err != nil {
		return chatWithAgentResult{}, err
	}
	result := chatWithAgentResult{
		Agent: args.Agent, SessionID: answer.SessionID, Response: answer.Response, Incomplete: answer.Incomplete,
		RunID: answer.RunID,
	}
	if answer.Error != "" {
		return result, &tools.Error{Code: answer.Code, Message: fmt.Sprintf("the agent %s failed: %s", args.Agent,
			answer.Error), Data: result}
	}
	return result, nil
}

// otherAgents are the ids of the agents beside the one that makes the call.
func otherAgents(call tools.Call) []string {
	agents, err := services.Get(call.Services, tools.AgentsKey)
	if err != nil {
		return nil
	}
	own := call.Profile
	var ids []string
	for i, agent := range agents.Profiles() {
		if agent.ID != own && (own != "" || i > 0) { // the first one is the default
			ids = append(ids, agent.ID)
		}
	}
	return ids
}
