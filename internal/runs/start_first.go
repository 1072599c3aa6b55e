package runs

import (
	"context"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// StartFirst makes a conversation with its first turn in one transaction, which also
// does what also says: all of it is stored, or nothing.
func (s *Service) StartFirst(ctx context.Context, conv *models.Conversation, req StartRequest,
	also func(tx *store.Tx, run *models.Run) error) (*RunView, error) {
	conv.ID = store.NewID()
	req.UserID, req.ConversationID = conv.UserID, conv.ID
	if conv.ProjectID != "" {
		project, err := s.Store.GetProject(ctx, conv.UserID, conv.ProjectID)
		if err != nil {
			return nil, err
		}
		conv.UserID = project.UserID
	}
	run, most, err := s.newRun(ctx, conv, req)
	if err != nil {
		return nil, err
	}
	run.Input = models.RunInput{Text: req.Text}
	message := &models.Message{ID: store.NewID(), ConversationID: conv.ID, RunID: run.ID, Role: models.RoleUser,
		AuthorID: run.ActorID, Text: req.Text, CreatedAt: now()}
	run.UserMessageID = message.ID
	err = s.commit(ctx, func(tx *store.Tx) error {
		if err := also(tx, run); err != nil {
			return err
		}
		if err := tx.CreateConversation(conv); err != nil {
			return err
		}
		if err := tx.StartRun(store.StartRun{Run: run, Message: message, MaxAtWork: most}); err != nil {
			return err
		}
		tx.Send(startRows(run, message)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ViewRun(run), nil
}

// Commit runs fn in a transaction, and publishes what it sends once it is stored.
func (s *Service) Commit(ctx context.Context, fn func(tx *store.Tx) error) error {
	return s.commit(ctx, fn)
}
