package runs

import (
	"context"
	"time"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/store"
)

// ConversationView is a conversation as clients see it.
type ConversationView struct {
	ID             string    `json:"id"`
	ProjectID      *string   `json:"project_id"`
	TaskOf         *string   `json:"task_of,omitempty" doc:"Of a background task's: the conversation that it was submitted in."`
	Title          string    `json:"title" doc:"Empty until the first turn starts."`
	Agent          string    `json:"agent"`
	Model          string    `json:"model" doc:"Empty: the agent's, or the default one."`
	SystemPrompt   string    `json:"system_prompt" doc:"Added to the agent's."`
	Temperature    *float64  `json:"temperature" doc:"null: the model's default."`
	MaxTokens      *int      `json:"max_tokens" doc:"null: the model's default."`
	Thinking       string    `json:"thinking" enum:",on,off,low,medium,high"`
	ToolsEnabled   bool      `json:"tools_enabled"`
	PermissionMode string    `json:"permission_mode" enum:"auto,ask,edits,plan"`
	Pinned         bool      `json:"pinned"`
	Archived       bool      `json:"archived"`
	Unread         bool      `json:"unread" doc:"A run ended that nobody has looked at."`
	Tags           []string  `json:"tags" nullable:"false"`
	ActiveLeafID   *string   `json:"active_leaf_id" doc:"The message at the end of the active branch."`
	ActiveRunID    *string   `json:"active_run_id" doc:"The run that is at work or waits for an approval."`
	Version        int64     `json:"version" doc:"Grows with every change; the ETag."`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
}

// ViewConversation shows a conversation; activeRunID is empty where none is at work.
func ViewConversation(c *models.Conversation, activeRunID string) *ConversationView {
	view := &ConversationView{
		ID: c.ID, ProjectID: optional(c.ProjectID), TaskOf: optional(c.TaskOf), Title: c.Title, Agent: firstOf(c.Agent, DefaultAgent),
		Model:        c.Model,
		SystemPrompt: c.SystemPrompt, Temperature: c.Temperature, Thinking: c.Thinking, ToolsEnabled: c.ToolsEnabled,
		PermissionMode: firstOf(c.PermissionMode, guard.ModeAuto), Pinned: c.Pinned, Archived: c.Archived, Unread: c.Unread,
		Tags:         append([]string{}, c.Tags...),
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
	event := encodeConversation(EventConversation, view.ID, conversationPayload{view})
	s.tell(ctx, []eventlog.Message{messageOf(userID, view.ID, event)})
}

// TellDeleted sends conversation.deleted to everybody who watches, at most once. ID and
// UserID of the conversations count.
func (s *Service) TellDeleted(ctx context.Context, gone ...models.Conversation) {
	messages := make([]eventlog.Message, len(gone))
	for i, conv := range gone {
		messages[i] = messageOf(conv.UserID, conv.ID, encodeConversation(EventConversationGone, conv.ID, struct{}{}))
	}
	s.tell(ctx, messages)
}

func messageOf(userID, conversationID string, event []byte) eventlog.Message {
	return eventlog.Message{Subject: eventlog.EventSubject(userID, conversationID, ""), ID: store.NewID(), Data: event}
}

func (s *Service) tell(ctx context.Context, messages []eventlog.Message) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	if err := s.publish(ctx, messages); err != nil {
		s.Logger.Warn("could not publish changes of conversations", "count", len(messages), "error", err)
	}
}

// conversationRow is conversation.updated, written with the change itself.
func conversationRow(conv *models.Conversation, activeRunID string) *models.Outbox {
	view := ViewConversation(conv, activeRunID)
	return &models.Outbox{Subject: eventlog.EventSubject(conv.UserID, conv.ID, ""), MessageID: store.NewID(),
		Payload: encodeConversation(EventConversation, conv.ID, conversationPayload{view})}
}

func encodeConversation(eventType, conversationID string, payload any) []byte {
	head := EventHead{Type: eventType, ConversationID: conversationID, Time: time.Now().UTC().Format(time.RFC3339Nano)}
	return splice(head, payload)
}
