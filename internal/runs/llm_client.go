package runs

import (
	"cmp"
	"context"
	"fmt"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/tokens"
	"nanoclaw/internal/tools"
)

// LLMClient is the service that tools ask the conversation's model with.
func (s *Service) LLMClient() tools.LLMClient { return llmClient{s} }

type llmClient struct{ service *Service }

// Complete implements tools.LLMClient.
func (c llmClient) Complete(ctx context.Context, call tools.Call, prompt tools.Prompt) (tools.Completion, error) {
	if prompt.Text == "" {
		return tools.Completion{}, tools.Errorf(tools.CodeInvalidArguments, "the prompt for the model is empty")
	}
	model, err := c.service.Models.Get(call.Settings.Model)
	if err != nil {
		return tools.Completion{}, err
	}
	request := llm.Request{MaxTokens: call.Settings.MaxTokens, Temperature: call.Settings.Temperature}
	if limit := request.MaxTokens; prompt.MaxTokens > 0 {
		request.MaxTokens = min(prompt.MaxTokens, cmp.Or(limit, prompt.MaxTokens))
	}
	if prompt.Temperature != nil {
		request.Temperature = prompt.Temperature
	}
	for _, message := range []llm.Message{{Role: llm.RoleSystem, Text: prompt.System},
		{Role: llm.RoleUser, Text: prompt.Text}} {
		if rule, blocked := c.service.Redactor.Blocked(message.Text); blocked {
			return tools.Completion{}, tools.Errorf(tools.CodeBlocked,
				"the model was not asked: the prompt holds what must not be shown (redaction rule %s)", rule)
		}
		if message.Text != "" {
			message.Text = c.service.Redactor.String(message.Text)
			request.Messages = append(request.Messages, message)
		}
	}
	if err := checkFits(model.Info(), request); err != nil {
		return tools.Completion{}, err
	}
	response, info, err := c.service.AskModel(ctx, call, request)
	if err != nil {
		return tools.Completion{}, err
	}
	return tools.Completion{Text: response.Text, Model: info.ID,
		Truncated: response.FinishReason == llm.FinishLength}, nil
}

// checkFits refuses a request that is longer than the model's context window, before it
// is sent.
func checkFits(model llm.Info, request llm.Request) error {
	room := model.ContextWindow - min(request.MaxTokens, model.ContextWindow/2)
	if takes := tokens.CountRequest(request); model.ContextWindow > 0 && takes > room {
		return &llm.Error{Code: llm.CodeContextOverflow, Model: model.ID, Message: fmt.Sprintf(
			"the prompt takes about %d tokens, and the model reads %d beside its answer: ask about a part of it",
			takes, room)}
	}
	return nil
}
