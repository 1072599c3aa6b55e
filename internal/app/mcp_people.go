package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/mcp"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

// people answer what MCP servers ask in the middle of a call: with approvals. They
// are asked at every level of the guard: only they know the answer.
type people struct{ a *App }

var _ mcp.People = people{}

// Fill implements mcp.People.
func (p people) Fill(ctx context.Context, call tools.Call, form mcp.Form) (content map[string]any, refusal string) {
	grant, refusal := p.a.askLive(ctx, call, runs.LiveAsk{
		Arguments: form.Start, Fill: form.Fill,
		Findings: []guard.Finding{{
			ID: "mcp.elicitation", Guardian: "mcp", Severity: guard.Medium, Category: "mcp",
			Message: fmt.Sprintf(
				"the MCP server %q asks you: %s (approve with the fields filled in, which it will see, or deny)",
				form.Server, form.Message),
			Evidence: form.Fields,
		}},
	})
	if grant == nil {
		return nil, refusal
	}
	if err := json.Unmarshal([]byte(grant.Arguments), &content); err != nil {
		p.a.Logger.Error("the form that a person filled in cannot be read", "tool", call.Tool, "run_id", call.RunID,
			"error", err)
		return nil, "the answer could not be read"
	}
	return content, ""
}

// Sample implements mcp.People.
func (p people) Sample(ctx context.Context, call tools.Call, request mcp.Sampling) (mcp.Sampled, error) {
	asked := map[string]any{"server": request.Server, "messages": request.Messages, "max_tokens": request.MaxTokens}
	ask := llm.Request{MaxTokens: request.MaxTokens}
	if request.System != "" {
		asked["system_prompt"] = request.System
		ask.Messages = append(ask.Messages, llm.Message{Role: llm.RoleSystem, Text: request.System})
	}
	for _, message := range request.Messages {
		ask.Messages = append(ask.Messages, llm.Message{Role: message.Role, Text: message.Text})
	}
	if request.Temperature != 0 {
		asked["temperature"], ask.Temperature = request.Temperature, &request.Temperature
	}
	if call.Settings.MaxTokens > 0 {
		ask.MaxTokens = min(ask.MaxTokens, call.Settings.MaxTokens)
	}
	last := request.Messages[len(request.Messages)-1].Text
	grant, refusal := p.a.askLive(ctx, call, runs.LiveAsk{
		Arguments: asked,
		Findings: []guard.Finding{{
			ID: "mcp.sampling", Guardian: "mcp", Severity: guard.Medium, Category: "mcp",
			Message: fmt.Sprintf(
				"the MCP server %q wants to ask the model, and will see its answer of at most %d tokens: %s",
				request.Server, ask.MaxTokens, last),
		}},
	})
	if grant == nil {
		return mcp.Sampled{}, errors.New(refusal)
	}
	response, model, err := p.a.Runs.AskModel(ctx, call, ask)
	if err != nil {
		return mcp.Sampled{}, fmt.Errorf("the model did not answer: %w", err)
	}
	return mcp.Sampled{Text: response.Text, Model: model.Model, CutOff: response.FinishReason == llm.FinishLength}, nil
}
