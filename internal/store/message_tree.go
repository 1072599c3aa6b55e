package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// Branch returns the messages from the root down to the leaf. An empty leaf is the
// place above all roots: no messages. A leaf that is no message of the
// conversation is not_found.
func (s *Store) Branch(ctx context.Context, conversationID, leafID string) ([]models.Message, error) {
	if leafID == "" {
		return nil, nil
	}
	var messages []models.Message
	err := s.read(ctx).Raw(`WITH RECURSIVE branch (id, parent_id, depth) AS (
		SELECT id, parent_id, 0 FROM messages WHERE id = ? AND conversation_id = ?
		UNION ALL
		SELECT m.id, m.parent_id, b.depth + 1 FROM messages m JOIN branch b ON m.id = b.parent_id
		WHERE m.conversation_id = ? AND b.depth < ?
	) SELECT messages.* FROM branch JOIN messages ON messages.id = branch.id ORDER BY branch.depth DESC`,
		leafID, conversationID, conversationID, maxDepth).Scan(&messages).Error
	if err != nil {
		return nil, fmt.Errorf("read the branch that ends at message %s: %w", leafID, err)
	}
	if len(messages) == 0 {
		return nil, notFound("message", leafID)
	}
	return messages, nil
}

// maxDepth ends a walk through a tree that is damaged to a ring.
const maxDepth = 100_000

// Children returns, for each message that has answers and for "" (above the
// roots), the ids of the messages right below it, oldest first. Where a list is
// longer than one, branches part.
func (s *Store) Children(ctx context.Context, userID, conversationID string) (map[string][]string, error) {
	if _, err := s.GetConversation(ctx, userID, conversationID); err != nil {
		return nil, err
	}
	return children(s.read(ctx), conversationID)
}

func children(db *gorm.DB, conversationID string) (map[string][]string, error) {
	var rows []struct{ ID, ParentID string }
	err := db.Model(&models.Message{}).Select("id, parent_id").
		Where("conversation_id = ?", conversationID).Order("created_at, id").Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the tree of conversation %s: %w", conversationID, err)
	}
	below := make(map[string][]string, len(rows))
	for _, row := range rows {
		below[row.ParentID] = append(below[row.ParentID], row.ID)
	}
	return below, nil
}

// newestLeaf follows the newest answers down from a message to the end.
func newestLeaf(below map[string][]string, id string) string {
	for range maxDepth {
		answers := below[id]
		if len(answers) == 0 {
			break
		}
		id = answers[len(answers)-1]
	}
	return id
}

// SwitchBranch makes the newest branch through a message the active one, and
// returns the conversation.
func (s *Store) SwitchBranch(ctx context.Context, userID, conversationID,
	messageID string) (*models.Conversation, error) {
	var conv *models.Conversation
	err := s.tx(ctx, func(tx *gorm.DB) error {
		var err error
		if conv, err = lockConversation(tx, userID, conversationID, 0); err != nil {
			return err
		}
		if _, err := messageOf(tx, conversationID, messageID); err != nil {
			return err
		}
		below, err := children(tx, conversationID)
		if err != nil {
			return err
		}
		before := *conv
		conv.ActiveLeafID = newestLeaf(below, messageID)
		return s.saveConversation(tx, &before, conv)
	})
	if err != nil {
		return nil, err
	}
	return conv, nil
}
