package runs

import (
	"context"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/store"
)

// ConversationView is a conversation as clients see it.
type ConversationView struct {
	ID           string    `json:"id"`
	ProjectID    *string   `json:"project_id"`
	Title        string    `json:"title" doc:"Empty until the first turn ends."`
	Agent        string    `json:"agent"`
	Model        string    `json:"model" doc:"Empty: the agent's, or the default one."`
	SystemPrompt string    `json:"system_prompt" doc:"Added to the agent's."`
	Temperature  *float64  `json:"temperature" doc:"null: the model's default."`
	MaxTokens    *int      `json:"max_tokens" doc:"null: the model's default."`
	Thinking     string    `json:"thinking" enum:",on,off"`
	ToolsEnabled bool      `json:"tools_enabled"`
	Pinned       bool      `json:"pinned"`
	ActiveLeafID *string   `json:"active_leaf_id" doc:"The message at the end of the active branch."`
	ActiveRunID  *string   `json:"active_run_id" doc:"The run that is at work or waits for an approval."`
	Version      int64     `json:"version" doc:"Grows with every change; the ETag."`
	CreatedAt    time.Time `json:"created_at"`
	UpdatedAt    time.Time `json:"updated_at"`
}

// ViewConversation shows a conversation; activeRunID is empty where none is at work.
func ViewConversation(c *models.Conversation, activeRunID string) *ConversationView {
	view := &ConversationView{
		ID: c.ID, ProjectID: optional(c.ProjectID), Title: c.Title, Agent: firstOf(c.Agent, DefaultAgent),
		Model:        c.Model,
		SystemPrompt: c.SystemPrompt, Temperature: c.Temperature, Thinking: c.Thinking, ToolsEnabled: c.ToolsEnabled,
		Pinned:       c.Pinned,
		ActiveLeafID: optional(c.ActiveLeafID), ActiveRunID: optional(activeRunID), Version: c.Version,
		CreatedAt: c.CreatedAt.Std(), UpdatedAt: c.UpdatedAt.Std(),
	}
	if c.MaxTokens != 0 {
		view.MaxTokens = &c.MaxTokens
	}
	return view
}

// TellConversation sends conversation.updated to everybody who watches. It is
// sent at most once: who misses it reads the conversation.
func (s *Service) TellConversation(ctx context.Context, userID string, view *ConversationView) {
	head := EventHead{Type: EventConversation, ConversationID: view.ID, Time: time.Now().UTC().Format(time.RFC3339Nano)}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	err := s.publish(ctx, []eventlog.Message{{
		Subject: eventlog.EventSubject(userID, view.ID, ""), ID: store.NewID(),
		Data: splice(head, conversationPayload{Conversation: view}),
	}})
	if err != nil {
		s.Logger.Warn("could not publish a change of a conversation", "conversation", view.ID, "error", err)
	}
}
