package runs

import (
	"context"
	"slices"
	"strings"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// EditAnswer stores an answer with another text, beside the one that the model gave, and ends
// the conversation there. Its calls stay, with their results; the next turns see the new text.
// Errors: not_found, *InvalidError, *store.BusyError.
func (s *Service) EditAnswer(ctx context.Context, userID, userName, messageID, text string) (*MessageView, error) {
	if strings.TrimSpace(text) == "" {
		return nil, &InvalidError{Field: "text", Message: "it is empty: send some text", Code: "invalid_arguments"}
	}
	old, err := s.Store.GetMessage(ctx, userID, messageID)
	if err != nil {
		return nil, err
	}
	if old.Role != models.RoleAssistant || len(old.Task) > 0 {
		return nil, &InvalidError{Field: "mid", Message: "only an answer can be changed so: send a changed message of " +
			"yours as a new one, with the parent_message_id of the old one", Code: "invalid_arguments"}
	}
	shown, err := ViewMessage(old)
	if err != nil {
		return nil, err
	}
	entries := slices.DeleteFunc(slices.Clone(shown.Steps), func(e models.StepEntry) bool { return e.Type == "text" })
	entries = append(entries, models.StepEntry{Type: "text", Text: text})
	for i := range entries {
		entries[i].Index = i
	}
	message := &models.Message{
		ID: store.NewID(), Role: models.RoleAssistant, AuthorID: userID, AuthorName: userName, Text: text,
		Attachments: old.Attachments, Steps: encode(entries), ToolCalls: old.ToolCalls, Model: old.Model, CreatedAt: now(),
	}
	var view *MessageView
	err = s.commit(ctx, func(tx *store.Tx) error {
		conv, err := tx.AddBeside(userID, old, message)
		if err != nil {
			return err
		}
		if view, err = ViewMessage(message); err != nil {
			return err
		}
		tx.Send(messageRow(conv, view))
		return nil
	})
	return view, err
}
