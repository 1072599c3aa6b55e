package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// DeleteMessage deletes a message with everything below it, and the runs that
// those messages began or ended. Where the active branch ended there, it ends at
// the newest message that is left below the same parent, else at the parent. It
// is a conflict while an active run answers to one of the messages.
func (s *Store) DeleteMessage(ctx context.Context, userID, conversationID, messageID string) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		conv, err := lockConversation(tx, userID, conversationID, 0)
		if err != nil {
			return err
		}
		message, err := messageOf(tx, conversationID, messageID)
		if err != nil {
			return err
		}
		gone, err := subtree(tx, conversationID, messageID)
		if err != nil {
			return err
		}
		if err := deleteRunsOf(tx, conversationID, gone); err != nil {
			return err
		}
		if err := s.deleteMessages(tx, conversationID, gone); err != nil {
			return err
		}
		before := *conv
		for _, id := range gone {
			if id == conv.ActiveLeafID {
				below, err := children(tx, conversationID)
				if err != nil {
					return err
				}
				conv.ActiveLeafID = newestLeaf(below, message.ParentID)
				break
			}
		}
		return s.saveConversation(tx, &before, conv)
	})
}

// subtree are the ids of a message and all below it.
func subtree(tx *gorm.DB, conversationID, messageID string) ([]string, error) {
	below, err := children(tx, conversationID)
	if err != nil {
		return nil, err
	}
	ids := []string{messageID}
	for i := 0; i < len(ids) && i < maxDepth; i++ {
		ids = append(ids, below[ids[i]]...)
	}
	return ids, nil
}

// deleteRunsOf deletes the ended runs that began or ended with one of the
// messages, with their sub-agents; an active one is a conflict.
func deleteRunsOf(tx *gorm.DB, conversationID string, messageIDs []string) error {
	return inBatches(messageIDs, func(ids []string) error {
		var roots []models.Run
		err := tx.Select("id", "status").Where("conversation_id = ? AND parent_run_id = ''", conversationID).
			Where("(user_message_id IN ? OR assistant_message_id IN ? OR parent_message_id IN ?)", ids, ids, ids).
			Find(&roots).Error
		if err != nil {
			return fmt.Errorf("look for runs of the messages: %w", err)
		}
		for _, root := range roots {
			if !models.RunEnded(root.Status) {
				return conflict("an answer below this message is still being written: wait for it, or stop it first")
			}
			if err := tx.Where("root_run_id = ?", root.ID).Delete(&models.Run{}).Error; err != nil {
				return fmt.Errorf("delete run %s: %w", root.ID, err)
			}
		}
		return nil
	})
}

func (s *Store) deleteMessages(tx *gorm.DB, conversationID string, messageIDs []string) error {
	return inBatches(messageIDs, func(ids []string) error {
		if err := s.unindex(tx, "conversation_id = ? AND message_id IN ?", conversationID, ids); err != nil {
			return err
		}
		if err := tx.Where("id IN ?", ids).Delete(&models.Message{}).Error; err != nil {
			return fmt.Errorf("delete messages: %w", err)
		}
		return nil
	})
}

// inBatches keeps lists of ids below the databases' limits for one statement.
func inBatches(ids []string, do func([]string) error) error {
	for len(ids) > 0 {
		batch := ids[:min(len(ids), 500)]
		ids = ids[len(batch):]
		if err := do(batch); err != nil {
			return err
		}
	}
	return nil
}
