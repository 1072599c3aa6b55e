package runs

import (
	"context"
	"fmt"
	"strings"

	"nanoclaw/internal/fault"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// DefaultAgent is the id of the agent that needs no profile.
const DefaultAgent = "default"

// StartRequest asks for a turn of a conversation. The nil and empty fields leave
// the conversation's own choice.
type StartRequest struct {
	UserID         string
	ConversationID string
	Text           string
	Attachments    []models.Attachment
	ToolsEnabled   *bool
	Model          string
	ProjectID      string
	Thinking       *string
	Parent         *string // of the user's message; nil: the end of the active branch, "": a new root
	Queue          bool    // on_busy: queue
}

// InvalidError says which field of a request is wrong, and why.
type InvalidError struct {
	Field   string
	Message string
	Code    string
}

func (e *InvalidError) Error() string { return e.Field + ": " + e.Message }

// ErrorCode is the code that clients see.
func (e *InvalidError) ErrorCode() string { return e.Code }

// StartTurn stores the user's message and queues a run that answers it. Errors:
// not_found, *InvalidError, *store.BusyError.
func (s *Service) StartTurn(ctx context.Context, req StartRequest) (*RunView, error) {
	if strings.TrimSpace(req.Text) == "" && len(req.Attachments) == 0 {
		return nil, &InvalidError{Field: "text", Message: "it is empty: send some text or an attachment",
			Code: "invalid_arguments"}
	}
	conv, err := s.Store.GetConversation(ctx, req.UserID, req.ConversationID)
	if err != nil {
		return nil, err
	}
	run, err := s.newRun(ctx, conv, req)
	if err != nil {
		return nil, err
	}
	run.Input = models.RunInput{Text: req.Text, Attachments: req.Attachments}
	message := &models.Message{
		ID: store.NewID(), ConversationID: conv.ID, RunID: run.ID, Role: models.RoleUser,
		Text: req.Text, Attachments: req.Attachments, CreatedAt: now(),
	}
	run.UserMessageID = message.ID
	return s.start(ctx, store.StartRun{Run: run, Message: message, Parent: req.Parent, Queue: req.Queue})
}

// Regenerate queues a run that answers a user's message again, or the message
// that an assistant's message answered: the new answer stands beside the old one.
func (s *Service) Regenerate(ctx context.Context, userID, messageID string, req StartRequest) (*RunView, error) {
	message, err := s.Store.GetMessage(ctx, userID, messageID)
	if err != nil {
		return nil, err
	}
	if message.Role == models.RoleAssistant {
		if message, err = s.Store.GetMessage(ctx, userID, message.ParentID); err != nil {
			return nil, err
		}
	}
	conv, err := s.Store.GetConversation(ctx, userID, message.ConversationID)
	if err != nil {
		return nil, err
	}
	req.UserID = userID
	run, err := s.newRun(ctx, conv, req)
	if err != nil {
		return nil, err
	}
	run.Input = models.RunInput{Text: message.Text, Attachments: message.Attachments}
	run.UserMessageID = message.ID
	return s.start(ctx, store.StartRun{Run: run})
}

// newRun freezes the settings of a run: the request's before the conversation's
// before the agent's.
func (s *Service) newRun(ctx context.Context, conv *models.Conversation, req StartRequest) (*models.Run, error) {
	profile, ok := s.Profile(conv.Agent)
	if !ok {
		return nil, &InvalidError{Field: "agent",
			Message: fmt.Sprintf("the conversation's agent %q is not in config.yml", conv.Agent), Code: "unknown_agent"}
	}
	modelID := firstOf(req.Model, conv.Model, profile.Model, s.Models.Default())
	if _, err := s.Models.Get(modelID); err != nil {
		return nil, &InvalidError{Field: "model", Message: err.Error(), Code: "unknown_model"}
	}
	projectID := firstOf(req.ProjectID, conv.ProjectID)
	if projectID != "" {
		if _, err := s.Store.GetProject(ctx, req.UserID, projectID); err != nil {
			return nil, err
		}
	}
	settings := models.RunSettings{
		Model: modelID, SystemPrompt: conv.SystemPrompt, Temperature: conv.Temperature, MaxTokens: conv.MaxTokens,
		Thinking: conv.Thinking, ToolsEnabled: conv.ToolsEnabled, MaxIterations: profile.MaxIterations,
	}
	if req.ToolsEnabled != nil {
		settings.ToolsEnabled = *req.ToolsEnabled
	}
	if req.Thinking != nil {
		settings.Thinking = *req.Thinking
	}
	id := store.NewID()
	return &models.Run{
		ID: id, RootRunID: id, ConversationID: conv.ID, UserID: conv.UserID, ProjectID: projectID,
		Agent: conv.Agent, AgentPath: RootPath, AssistantMessageID: store.NewID(), Settings: settings, CreatedAt: now(),
	}, nil
}

// RootPath is the agent path of a root run.
const RootPath = "main"

func (s *Service) start(ctx context.Context, p store.StartRun) (*RunView, error) {
	err := s.commit(ctx, func(tx *store.Tx) error {
		if err := tx.StartRun(p); err != nil {
			return err
		}
		tx.Send(startRows(p.Run, p.Message)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	fault.Point("start.after")
	return ViewRun(p.Run), nil
}

// startRows announce a run that was queued, and its message where it is new, and wake
// a worker. A run that waits for its turn has no message yet.
func startRows(run *models.Run, message *models.Message) []*models.Outbox {
	var rows []*models.Outbox
	if message != nil && !run.Deferred {
		rows = append(rows, eventRow(EventMessageCreated, run, messagePayload{Message: userMessage(message)}))
	}
	rows = append(rows, eventRow(EventRunQueued, run, runPayload{Run: ViewRun(run)}))
	if !run.Deferred {
		rows = append(rows, workRow(run))
	}
	return rows
}

// userMessage shows a message that has no steps: it cannot fail.
func userMessage(message *models.Message) *MessageView {
	view, err := ViewMessage(message)
	if err != nil {
		panic(err)
	}
	return view
}

func firstOf(choices ...string) string {
	for _, choice := range choices {
		if choice != "" {
			return choice
		}
	}
	return ""
}
