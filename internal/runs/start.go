package runs

import (
	"context"
	"fmt"
	"strings"

	"nanoclaw/internal/fault"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/telemetry"
)

// DefaultAgent is the id of the agent that needs no profile.
const DefaultAgent = "default"

// StartRequest asks for a turn of a conversation. The nil and empty fields leave
// the conversation's own choice.
type StartRequest struct {
	UserID         string // who asks
	UserName       string // in auth_mode multi
	ConversationID string
	Text           string
	Attachments    []models.Attachment
	ToolsEnabled   *bool
	Model          string
	ProjectID      string
	Thinking       *string
	Parent         *string // of the user's message; nil: the end of the active branch, "": a new root
	Queue          bool    // on_busy: queue
	// ClientTools are offered beside the agent's own, and win over those of the same name.
	ClientTools []models.ClientTool
	Temperature *float64
	MaxTokens   int
	// Also is stored in the transaction of the run, where it is not nil.
	Also func(tx *store.Tx, run *models.Run) error
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
	run, most, err := s.newRun(ctx, conv, req)
	if err != nil {
		return nil, err
	}
	run.Input = models.RunInput{AuthorName: req.UserName, Text: req.Text, Attachments: req.Attachments,
		Traceparent: telemetry.Traceparent(ctx)}
	message := &models.Message{
		ID: store.NewID(), ConversationID: conv.ID, RunID: run.ID, Role: models.RoleUser, AuthorID: run.ActorID,
		AuthorName: req.UserName, Text: req.Text, Attachments: req.Attachments, CreatedAt: now(),
	}
	run.UserMessageID = message.ID
	return s.start(ctx, store.StartRun{Run: run, Message: message, Parent: req.Parent, Queue: req.Queue,
		MaxAtWork: most}, req.Also)
}

// Regenerate queues a run that answers a user's message again, or the message
// that an assistant's message answered: the new answer stands beside the old one.
func (s *Service) Regenerate(ctx context.Context, userID, messageID string, req StartRequest) (*RunView, error) {
	message, err := s.Store.GetMessage(ctx, userID, messageID)
	if err != nil {
		return nil, err
	}
	if len(message.Task) > 0 {
		return nil, &InvalidError{Field: "mid", Message: "this message announces the end of a background task: " +
			"there is nothing to answer again", Code: "invalid_arguments"}
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
	run, most, err := s.newRun(ctx, conv, req)
	if err != nil {
		return nil, err
	}
	run.Input = models.RunInput{Text: message.Text, Attachments: message.Attachments,
		Traceparent: telemetry.Traceparent(ctx)}
	run.UserMessageID = message.ID
	return s.start(ctx, store.StartRun{Run: run, MaxAtWork: most}, req.Also)
}

// newRun freezes the settings of a run: the request's before the conversation's
// before the agent's. most is how many runs the user may have at work.
func (s *Service) newRun(ctx context.Context, conv *models.Conversation,
	req StartRequest) (run *models.Run, most int, err error) {
	profile, ok := s.Profile(conv.Agent)
	if !ok {
		return nil, 0, &InvalidError{Field: "agent",
			Message: fmt.Sprintf("the conversation's agent %q is not in config.yml", conv.Agent), Code: "unknown_agent"}
	}
	modelID := firstOf(req.Model, conv.Model, profile.Model, s.Models.Default())
	if _, err := s.Models.Get(modelID); err != nil {
		return nil, 0, &InvalidError{Field: "model", Message: err.Error(), Code: "unknown_model"}
	}
	if most, err = s.mayStart(ctx, req.UserID, modelID, conv.Agent); err != nil {
		return nil, 0, err
	}
	projectID := firstOf(req.ProjectID, conv.ProjectID)
	if projectID != "" {
		project, err := s.Store.GetProject(ctx, req.UserID, projectID)
		if err != nil {
			return nil, 0, err
		}
		if project.UserID != conv.UserID {
			return nil, 0, &InvalidError{Field: "project_id", Code: "invalid_arguments",
				Message: "the project is not of the conversation's owner: open a conversation in it"}
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
	if req.Temperature != nil {
		settings.Temperature = req.Temperature
	}
	if req.MaxTokens != 0 {
		settings.MaxTokens = req.MaxTokens
	}
	settings.ClientTools = req.ClientTools
	id := store.NewID()
	return &models.Run{
		ID: id, RootRunID: id, ConversationID: conv.ID, UserID: conv.UserID, ActorID: req.UserID,
		ProjectID: projectID, Agent: conv.Agent, AgentPath: RootPath, AssistantMessageID: store.NewID(), Settings: settings, CreatedAt: now(),
	}, most, nil
}

// RootPath is the agent path of a root run.
const RootPath = "main"

// start stores a run. A free worker owns it from the same transaction on; else a work
// message finds one.
func (s *Service) start(ctx context.Context, p store.StartRun,
	also func(tx *store.Tx, run *models.Run) error) (view *RunView, err error) {
	run := p.Run
	var release func()
	if !s.sent.behind.Load() {
		release = s.freeWorker()
	}
	if release != nil {
		p.Owner, p.Lease = s.Owner, s.Settings().Lease
	}
	err = s.commitThen(ctx, func(tx *store.Tx) error {
		if err := tx.StartRun(p); err != nil {
			return err
		}
		if also != nil {
			if err := also(tx, run); err != nil {
				return err
			}
		}
		view = viewQueued(run)
		tx.Send(queuedRows(run, p.Message, view)...)
		titled, err := tx.SuggestTitle(run, titleOf(run.Input.Text))
		if err != nil {
			return err
		}
		if titled != nil {
			tx.Send(conversationRow(titled, run.ID))
		}
		switch {
		case run.Status == models.RunRunning:
			tx.Send(startedRow(run))
			fault.Point("claim.during")
		case !run.Deferred:
			tx.Send(workRow(run))
		}
		return nil
	}, func() {
		if run.Status == models.RunRunning {
			s.hold(run)
		}
	})
	if err == nil {
		fault.Point("start.after")
	}
	switch owned := err == nil && run.Status == models.RunRunning; {
	case owned:
		s.goDo(func() {
			defer release()
			fault.Point("claim.after")
			s.execute(run)
		})
	case release != nil:
		release()
	}
	return view, err
}

// viewQueued shows a run as it was stored, before a worker took it.
func viewQueued(run *models.Run) *RunView {
	view := ViewRun(run)
	view.Status, view.Attempt, view.StartedAt = models.RunQueued, 0, 0
	return view
}

// startRows announce a run that was queued again, or whose turn it is, and wake a worker.
func startRows(run *models.Run, message *models.Message) []*models.Outbox {
	return append(queuedRows(run, message, ViewRun(run)), workRow(run))
}

// queuedRows announce a run that was queued, and its message where it is new. A run
// that waits for its turn has no message yet.
func queuedRows(run *models.Run, message *models.Message, view *RunView) []*models.Outbox {
	var rows []*models.Outbox
	if message != nil && !run.Deferred {
		rows = append(rows, eventRow(EventMessageCreated, run, messagePayload{Message: userMessage(message)}))
	}
	return append(rows, eventRow(EventRunQueued, run, runPayload{Run: view}))
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
