package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// FinishRun says how a root run ends.
type FinishRun struct {
	Run     *models.Run     // with Status, Incomplete, error and WorkedMicros set
	Message *models.Message // the assistant's; its parent is the run's user message
	Title   string          // a suggestion for a conversation without one; "" for none

	// Outbox says what to send; title is the new one or "".
	Outbox func(title string, ended Ended) []*models.Outbox
	// Next says what to send for the run that waited for this one and starts now.
	Next func(run *models.Run, message *models.Message) []*models.Outbox
}

// Ended is what ends with a run: the sub-agents below it, and the approvals that
// nobody has decided.
type Ended struct {
	Children  []*models.Run
	Approvals []*models.Approval
}

// FinishRun stores the end of a root run in one transaction: the assistant's
// message, the title, the end of its sub-agents and approvals, and the start of
// the run that waited for its turn. It returns what is to be sent now.
func (s *Store) FinishRun(ctx context.Context, f Fence, p FinishRun) ([]*models.Outbox, error) {
	var out []*models.Outbox
	err := s.fenced(ctx, f, "finish", func(tx *gorm.DB) error {
		var err error
		out, err = s.finish(tx, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (s *Store) finish(tx *gorm.DB, p FinishRun) ([]*models.Outbox, error) {
	run := p.Run
	run.FinishedAt = models.Now()
	run.ActiveKey = nil
	run.LeaseUntil = 0
	err := tx.Model(run).Select("status", "incomplete", "error_code", "error_message", "finished_at", "active_key",
		"lease_until", "worked_micros", "stale_attempts").Updates(run).Error
	if err != nil {
		return nil, fmt.Errorf("store the end of run %s: %w", run.ID, err)
	}
	ended, err := endBelow(tx, run)
	if err != nil {
		return nil, err
	}
	if p.Message != nil {
		// A run that was continued has its message already.
		if err := tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(p.Message).Error; err != nil {
			return nil, fmt.Errorf("store message %s: %w", p.Message.ID, err)
		}
		if err := s.indexMessage(tx, p.Message); err != nil {
			return nil, err
		}
	}
	title, conv, err := s.closeTurn(tx, run, p.Message, p.Title)
	if err != nil {
		return nil, err
	}
	out := p.Outbox(title, ended)
	if err := addOutbox(tx, out); err != nil {
		return nil, err
	}
	next, err := s.promote(tx, conv, p.Next)
	return append(out, next...), err
}

// closeTurn moves the end of the active branch from the user's message to the
// answer, unless a person has moved elsewhere meanwhile, and sets the title
// where there is none.
func (s *Store) closeTurn(tx *gorm.DB, run *models.Run, message *models.Message,
	title string) (string, *models.Conversation, error) {
	var conv models.Conversation
	if err := tx.Take(&conv, "id = ?", run.ConversationID).Error; err != nil {
		return "", nil, fmt.Errorf("read conversation %s: %w", run.ConversationID, err)
	}
	changes := map[string]any{"updated_at": run.FinishedAt}
	if message != nil && conv.ActiveLeafID == run.UserMessageID {
		conv.ActiveLeafID = message.ID
		changes["active_leaf_id"] = message.ID
	}
	if conv.TitleGiven || conv.Title != "" {
		title = ""
	}
	if title != "" {
		conv.Title = title
		changes["title"] = title
		changes["version"] = conv.Version + 1
		if err := s.indexTitle(tx, &conv); err != nil {
			return "", nil, err
		}
	}
	if err := tx.Model(&models.Conversation{}).Where("id = ?", conv.ID).Updates(changes).Error; err != nil {
		return "", nil, fmt.Errorf("close the turn of conversation %s: %w", conv.ID, err)
	}
	return title, &conv, nil
}

// promote starts the oldest run that waits for its turn.
func (s *Store) promote(tx *gorm.DB, conv *models.Conversation, next func(*models.Run,
	*models.Message) []*models.Outbox) ([]*models.Outbox, error) {
	var waiting []*models.Run
	err := tx.Where("conversation_id = ? AND deferred = ? AND status = ?", conv.ID, true, models.RunQueued).
		Order("id").Limit(1).Find(&waiting).Error
	if err != nil {
		return nil, fmt.Errorf("look for the next run of conversation %s: %w", conv.ID, err)
	}
	if len(waiting) == 0 || next == nil {
		return nil, nil
	}
	run := waiting[0]
	message := &models.Message{ID: run.UserMessageID, ConversationID: conv.ID, RunID: run.ID, Role: models.RoleUser,
		Text: run.Input.Text, Attachments: run.Input.Attachments, CreatedAt: models.Now()}
	if err := s.placeMessage(tx, conv, run, message, nil); err != nil {
		return nil, err
	}
	activate(run)
	err = tx.Model(run).Select("active_key", "deferred", "enqueue_no").Updates(run).Error
	if err != nil {
		return nil, fmt.Errorf("start the next run of conversation %s: %w", conv.ID, err)
	}
	out := next(run, message)
	return out, addOutbox(tx, out)
}
