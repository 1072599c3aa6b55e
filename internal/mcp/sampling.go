package mcp

//lint:file-ignore SA1019 sampling is deprecated since protocol 2026-07-28, but servers use it and the protocol keeps it

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/tools"
)

type (
	samplingParams = mcp.CreateMessageWithToolsParams
	samplingResult = mcp.CreateMessageWithToolsResult
)

// canSample adds to the options that servers may ask the model.
func (s *session) canSample(options *mcp.ClientOptions) {
	options.Capabilities.Sampling = &mcp.SamplingCapabilities{} // no tools, no context
	options.CreateMessageWithToolsHandler = func(ctx context.Context,
		r *mcp.CreateMessageWithToolsRequest) (*samplingResult, error) {
		return asking(ctx, s, r.Params, s.sample)
	}
}

func (s *session) sample(ctx context.Context, call tools.Call, params *samplingParams) (*samplingResult, error) {
	request := Sampling{Server: s.server.name, System: params.SystemPrompt, MaxTokens: int(params.MaxTokens),
		Temperature: params.Temperature}
	size := len(params.SystemPrompt)
	for _, message := range params.Messages {
		if message == nil {
			return nil, refuse(jsonrpc.CodeInvalidParams, "a message is null")
		}
		var texts []string
		for _, part := range message.Content {
			text, is := part.(*mcp.TextContent)
			if !is {
				return nil, refuse(jsonrpc.CodeInvalidParams,
					"the model is asked with text only: no images, sounds or tools")
			}
			texts = append(texts, text.Text)
		}
		if message.Role != "user" && message.Role != "assistant" {
			return nil, refuse(jsonrpc.CodeInvalidParams, "the role of a message is user or assistant, not %q",
				cutRunes(string(message.Role), 100))
		}
		text := SamplingText{Role: string(message.Role), Text: strings.Join(texts, "\n")}
		size += len(text.Text)
		request.Messages = append(request.Messages, text)
	}
	switch {
	case len(request.Messages) == 0:
		return nil, refuse(jsonrpc.CodeInvalidParams, "there are no messages for the model")
	case len(params.Tools) > 0:
		return nil, refuse(jsonrpc.CodeInvalidParams, "the model is asked with text only: no images, sounds or tools")
	case request.MaxTokens <= 0:
		return nil, refuse(jsonrpc.CodeInvalidParams, "maxTokens has to be above 0")
	case size > maxQuestion:
		return nil, refuse(jsonrpc.CodeInvalidParams, "the messages are %d bytes long, at most %d are taken", size,
			maxQuestion)
	}
	sampled, err := s.server.servers.People.Sample(ctx, call, request)
	if err != nil {
		return nil, s.unanswered(ctx, err)
	}
	result := &samplingResult{Role: "assistant", Model: sampled.Model, StopReason: "endTurn",
		Content: []mcp.Content{&mcp.TextContent{Text: sampled.Text}}}
	if sampled.CutOff {
		result.StopReason = "maxTokens"
	}
	return result, nil
}
