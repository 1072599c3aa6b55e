package store

import (
	"fmt"

	"nanoclaw/internal/models"
)

// AddBeside stores a message beside another of its conversation, below the same parent, and makes
// it the end of the active branch. It returns not_found, and a *BusyError where a run is at work.
func (tx *Tx) AddBeside(userID string, other, message *models.Message) (*models.Conversation, error) {
	conv, err := tx.lockOnce(userID, other.ConversationID)
	if err != nil {
		return nil, err
	}
	if busy, err := activeRun(tx.db, conv.ID); err != nil {
		return nil, err
	} else if busy != "" {
		return nil, &BusyError{RunID: busy}
	}
	beside, err := messageOf(tx.db, conv.ID, other.ID) // it may be gone by now
	if err != nil {
		return nil, err
	}
	message.ConversationID, message.ParentID = conv.ID, beside.ParentID
	if err := tx.store.insertMessage(tx.db, conv.UserID, message); err != nil {
		return nil, err
	}
	conv.ActiveLeafID, conv.UpdatedAt = message.ID, message.CreatedAt
	err = tx.db.Model(&models.Conversation{}).Where("id = ?", conv.ID).
		Updates(map[string]any{"active_leaf_id": conv.ActiveLeafID, "updated_at": conv.UpdatedAt}).Error
	if err != nil {
		return nil, fmt.Errorf("end conversation %s at message %s: %w", conv.ID, message.ID, err)
	}
	return conv, nil
}
