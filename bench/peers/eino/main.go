// Command eino runs eino's ReAct agent with its OpenAI model.
package main

import (
	"context"

	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"

	"nanoclaw/bench/peers/peer"
)

func main() {
	ctx := context.Background()
	config := &openai.ChatModelConfig{BaseURL: peer.ModelURL(), APIKey: "none", Model: "m"}
	model, err := openai.NewChatModel(ctx, config)
	if err != nil {
		peer.Exit(err)
	}
	agent, err := react.NewAgent(ctx, &react.AgentConfig{
		ToolCallingModel: model,
		ToolsConfig:      compose.ToolsNodeConfig{Tools: []tool.BaseTool{calculator{}}},
	})
	if err != nil {
		peer.Exit(err)
	}
	peer.Serve(func(ctx context.Context) (string, error) {
		stream, err := agent.Stream(ctx, []*schema.Message{schema.UserMessage(peer.Prompt)})
		if err != nil {
			return "", err
		}
		message, err := schema.ConcatMessageStream(stream)
		if err != nil {
			return "", err
		}
		return message.Content, nil
	})
}

type calculator struct{}

func (calculator) Info(context.Context) (*schema.ToolInfo, error) {
	return &schema.ToolInfo{Name: peer.Tool, Desc: peer.ToolDescription,
		ParamsOneOf: schema.NewParamsOneOfByParams(map[string]*schema.ParameterInfo{"expression": {
			Type: schema.String, Desc: "what to calculate, for example 2*3", Required: true}})}, nil
}

func (calculator) InvokableRun(_ context.Context, arguments string, _ ...tool.Option) (string, error) {
	return peer.Calculate(arguments)
}
