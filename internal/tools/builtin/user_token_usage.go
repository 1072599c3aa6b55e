package builtin

import (
	"context"
	_ "embed"
	"time"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed user_token_usage.md
var tokenUsageDoc string

func init() {
	tools.Register(tools.Define("get_token_usage", tokenUsageDoc, tokenUsage,
		tools.Category("usage"), tools.Effect(tools.Volatile)))
}

type tokenUsageArgs struct{}

type tokenUsageResult struct {
	Conversation tools.TokenUsage `json:"conversation"` // sub-agents included
	Today        tools.TokenUsage `json:"today"`        // of the user, all conversations
	Month        tools.TokenUsage `json:"month"`
	Day          string           `json:"day"` // today, YYYY-MM-DD in UTC
}

func tokenUsage(ctx context.Context, call tools.Call, _ tokenUsageArgs) (tokenUsageResult, error) {
	usage, err := services.Get(call.Services, tools.UsageKey)
	if err != nil {
		return tokenUsageResult{}, err
	}
	now := time.Now().UTC()
	result := tokenUsageResult{Day: now.Format(time.DateOnly)}
	if result.Conversation, err = usage.ConversationUsage(ctx, call.UserID, call.ConversationID); err != nil {
		return tokenUsageResult{}, err
	}
	if result.Today, err = usage.UsageSince(ctx, call.UserID, result.Day); err != nil {
		return tokenUsageResult{}, err
	}
	if result.Month, err = usage.UsageSince(ctx, call.UserID, now.Format("2006-01-")+"01"); err != nil {
		return tokenUsageResult{}, err
	}
	return result, nil
}
