package tools

import (
	"context"

	"nanoclaw/internal/services"
)

// UsersKey finds what is kept of each user.
var UsersKey = services.NewKey[Users]("users")

// Users keeps users' settings.
type Users interface {
	// Timezone is the IANA name that the user chose; empty: none.
	Timezone(ctx context.Context, userID string) (string, error)
	// SetTimezone keeps a zone for the user. The name has been checked.
	SetTimezone(ctx context.Context, userID, zone string) error
}

// UsageKey finds the count of used tokens.
var UsageKey = services.NewKey[Usage]("usage")

// Usage counts the tokens of model turns, sub-agents included.
type Usage interface {
	// ConversationUsage is what one conversation of the user used so far.
	ConversationUsage(ctx context.Context, userID, conversationID string) (TokenUsage, error)
	// UsageSince is what the user used since a day (YYYY-MM-DD, in UTC), that day included.
	UsageSince(ctx context.Context, userID, day string) (TokenUsage, error)
}

// TokenUsage is a sum of token usage.
type TokenUsage struct {
	Turns            int64   `json:"turns"` // model turns
	PromptTokens     int64   `json:"prompt_tokens"`
	CompletionTokens int64   `json:"completion_tokens"`
	TotalTokens      int64   `json:"total_tokens"`
	CachedTokens     int64   `json:"cached_tokens"`
	Cost             float64 `json:"cost,omitempty"`      // in the currency of the configured prices
	Estimated        bool    `json:"estimated,omitempty"` // at least one turn's figures are an estimate
}
