package app

import (
	"context"
	"fmt"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// toolUsers keeps users' settings in the store.
type toolUsers struct{ store *store.Store }

var _ tools.Users = toolUsers{}

func (u toolUsers) Timezone(ctx context.Context, userID string) (string, error) {
	user, err := u.store.GetUser(ctx, userID)
	if err != nil {
		return "", err
	}
	return user.Timezone, nil
}

func (u toolUsers) SetTimezone(ctx context.Context, userID, zone string) error {
	_, err := u.store.UpdateUser(ctx, userID, func(user *models.User) error {
		user.Timezone = zone
		return nil
	})
	return err
}

// toolUsage counts tokens in the store.
type toolUsage struct{ store *store.Store }

var _ tools.Usage = toolUsage{}

func (u toolUsage) ConversationUsage(ctx context.Context, userID, conversationID string) (tools.TokenUsage, error) {
	used, err := u.store.ConversationUsage(ctx, userID, conversationID)
	return tokenUsage(used), err
}

func (u toolUsage) UsageSince(ctx context.Context, userID, day string) (tools.TokenUsage, error) {
	if userID == "" { // the store would take it for everybody
		return tools.TokenUsage{}, fmt.Errorf("sum up the token usage: the call has no user")
	}
	rows, err := u.store.UsageReport(ctx, store.UsageQuery{UserID: userID, Since: day, Period: store.Monthly})
	if err != nil {
		return tools.TokenUsage{}, err
	}
	var sum tools.TokenUsage
	for _, row := range rows {
		one := tokenUsage(row.Usage)
		sum.Turns += one.Turns
		sum.PromptTokens += one.PromptTokens
		sum.CompletionTokens += one.CompletionTokens
		sum.TotalTokens += one.TotalTokens
		sum.CachedTokens += one.CachedTokens
		sum.Cost += one.Cost
		sum.Estimated = sum.Estimated || one.Estimated
	}
	return sum, nil
}

func tokenUsage(u store.Usage) tools.TokenUsage {
	return tools.TokenUsage{
		Turns: u.Turns, PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens,
		TotalTokens: u.TotalTokens, CachedTokens: u.CachedTokens, Cost: u.Cost, Estimated: u.Estimated,
	}
}
