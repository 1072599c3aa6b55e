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
		tools.Category("agent"), tools.Effect(tools.Resumes), tools.Timeout(-1)))
}

type chatWithAgentArgs struct {
	Agent     string `json:"agent" jsonschema:"id of the agent, as list_agents shows it" minLength:"1"`
	Message   string `json:"message" jsonschema:"what you say to it, with all that it must know" minLength:"1"`
	SessionID string `json:"session_id,omitempty" jsonschema:"session_id of an earlier answer of the same agent, to go on with that session; leave out for a new one"`
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
	answer, err := agents.Chat(ctx, call, tools.AgentMessage{Agent: args.Agent, Text: args.Message, SessionID: args.SessionID})
	if err != nil {
		return chatWithAgentResult{}, err
	}
	result := chatWithAgentResult{
		Agent: args.Agent, SessionID: answer.SessionID, Response: answer.Response, Incomplete: answer.Incomplete, RunID: answer.RunID,
	}
	if answer.Error != "" {
		return result, &tools.Error{Code: answer.Code, Message: fmt.Sprintf("the agent %s failed: %s", args.Agent, answer.Error), Data: result}
	}
	return result, nil
}
