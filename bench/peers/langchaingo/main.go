// Command langchaingo runs a tool loop around a langchaingo model.
// Its agents are left out, for they run the tools one after the other.
package main

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
	"golang.org/x/sync/errgroup"

	"nanoclaw/bench/peers/peer"
)

func main() {
	model, err := openai.New(openai.WithBaseURL(peer.ModelURL()), openai.WithToken("none"), openai.WithModel("m"))
	if err != nil {
		peer.Exit(err)
	}
	peer.Serve(func(ctx context.Context) (string, error) { return run(ctx, model) })
}

func run(ctx context.Context, model llms.Model) (string, error) {
	tools := []llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{
		Name: peer.Tool, Description: peer.ToolDescription, Parameters: peer.ToolSchema}}}
	messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, peer.Prompt)}
	for {
		response, err := model.GenerateContent(ctx, messages, llms.WithTools(tools),
			llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
		if err != nil {
			return "", err
		}
		if len(response.Choices) != 1 {
			return "", fmt.Errorf("%d choices", len(response.Choices))
		}
		choice := response.Choices[0]
		if len(choice.ToolCalls) == 0 {
			return choice.Content, nil
		}
		answer := llms.MessageContent{Role: llms.ChatMessageTypeAI}
		results := make([]llms.MessageContent, len(choice.ToolCalls))
		var group errgroup.Group
		for i, call := range choice.ToolCalls {
			answer.Parts = append(answer.Parts, call)
			group.Go(func() error {
				text, err := peer.Calculate(call.FunctionCall.Arguments)
				results[i] = llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
					llms.ToolCallResponse{ToolCallID: call.ID, Name: peer.Tool, Content: text}}}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return "", err
		}
		messages = append(append(messages, answer), results...)
	}
}
