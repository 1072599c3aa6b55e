package store

import (
	"fmt"

	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// Ended is what ends with a run: the sub-agents below it, and the approvals that
// nobody has decided.
type Ended struct {
	Children  []*models.Run
	Approvals []*models.Approval
}

// EndRun stores the end of a root run, with Status, Incomplete, error and WorkedMicros
// set, and the end of what is below it.
func (tx *Tx) EndRun(run *models.Run) (Ended, error) {
	run.FinishedAt = models.Now()
	run.ActiveKey = nil
	run.LeaseUntil = 0
	err := tx.db.Model(run).Select("status", "incomplete", "error_code", "error_message", "finished_at", "active_key",
		"lease_until", "worked_micros", "stale_attempts").Updates(run).Error
	if err != nil {
		return Ended{}, fmt.Errorf("store the end of run %s: %w", run.ID, err)
	}
	return endBelow(tx.db, run)
}

// CloseTurn stores the assistant's message of a run that has ended, and moves the end of
// the active branch to it unless a person has moved elsewhere meanwhile. It returns the
// conversation's title.
func (tx *Tx) CloseTurn(run *models.Run, message *models.Message) (title string, err error) {
	// A run that was continued has its message already.
	if err := tx.db.Clauses(clause.OnConflict{UpdateAll: true}).Create(message).Error; err != nil {
		return "", fmt.Errorf("store message %s: %w", message.ID, err)
	}
	conv, err := tx.conversation(run)
	if err != nil {
		return "", err
	}
	index := tx.store.index
	if run.Attempt == 1 {
		index = tx.store.addDocument // nothing of it is indexed
	}
	doc := searchDocument{ConversationID: conv.ID, MessageID: message.ID}
	if err := index(tx.db, conv.UserID, doc, message.Text); err != nil {
		return "", err
	}
	changes := map[string]any{"updated_at": run.FinishedAt, "unread": true}
	conv.UpdatedAt = run.FinishedAt
	if conv.ActiveLeafID == run.UserMessageID {
		conv.ActiveLeafID = message.ID
		changes["active_leaf_id"] = message.ID
	}
	if err := tx.db.Model(&models.Conversation{}).Where("id = ?", conv.ID).Updates(changes).Error; err != nil {
		return "", fmt.Errorf("close the turn of conversation %s: %w", conv.ID, err)
	}
	return conv.Title, nil
}

// PromoteNext starts the oldest run that waits for its turn in a conversation whose
// active run has ended, and stores its message; nil: none waits.
func (tx *Tx) PromoteNext(ended *models.Run) (*models.Run, *models.Message, error) {
	var waiting []*models.Run
	err := tx.db.Clauses(clause.Locking{Strength: "UPDATE"}).
		Where("conversation_id = ? AND deferred = ? AND status = ?",
			ended.ConversationID, true, models.RunQueued).
		Order("id").
		Find(&waiting).
		Error
	if err != nil {
		return nil, nil, fmt.Errorf("look for the next run of conversation %s: %w", ended.ConversationID, err)
	}
	if len(waiting) == 0 {
		return nil, nil, nil
	}
	run := waiting[0]
	conv, err := tx.conversation(run)
	if err != nil {
		return nil, nil, err
	}
	message := &models.Message{ID: run.UserMessageID, ConversationID: conv.ID, RunID: run.ID, Role: models.RoleUser,
		AuthorID: run.ActorID, AuthorName: run.Input.AuthorName, Text: run.Input.Text, Attachments: run.Input.Attachments, CreatedAt: models.Now()}
	if err := tx.store.placeMessage(tx.db, conv, run, message, reserved(run)); err != nil {
		return nil, nil, err
	}
	activate(run)
	err = tx.db.Model(run).Select("active_key", "deferred", "enqueue_no").Updates(run).Error
	if err != nil {
		return nil, nil, fmt.Errorf("start the next run of conversation %s: %w", conv.ID, err)
	}
	return run, message, nil
}
