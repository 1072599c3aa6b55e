package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// GetMessage returns a message of a conversation that the user may reach, or not_found.
func (s *Store) GetMessage(ctx context.Context, userID, id string) (*models.Message, error) {
	var message models.Message
	err := take(s.read(ctx), &message, "message", id, func(db *gorm.DB) *gorm.DB {
		return ofConversations(db.Model(&models.Message{}).
			Joins("JOIN conversations ON conversations.id = messages.conversation_id").
			Where("messages.id = ?", id), userID)
	})
	if err != nil {
		return nil, err
	}
	return &message, nil
}

// AllMessages returns the messages of all branches, oldest first.
func (s *Store) AllMessages(ctx context.Context, userID, conversationID string) ([]models.Message, error) {
	if _, err := s.GetConversation(ctx, userID, conversationID); err != nil {
		return nil, err
	}
	return allMessages(s.read(ctx), conversationID)
}

func allMessages(db *gorm.DB, conversationID string) ([]models.Message, error) {
	var messages []models.Message
	err := db.Where("conversation_id = ?", conversationID).Order("created_at, id").Find(&messages).Error
	if err != nil {
		return nil, fmt.Errorf("read the messages of conversation %s: %w", conversationID, err)
	}
	return messages, nil
}

// messageOf returns a message of that conversation, or not_found.
func messageOf(db *gorm.DB, conversationID, id string) (*models.Message, error) {
	var message models.Message
	if err := db.Take(&message, "id = ? AND conversation_id = ?", id, conversationID).Error; err != nil {
		return nil, found(err, "message", id)
	}
	return &message, nil
}

// insertMessage stores a message of a user's conversation and makes it searchable.
func (s *Store) insertMessage(tx *gorm.DB, userID string, message *models.Message) error {
	if err := tx.Create(message).Error; err != nil {
		return fmt.Errorf("store message %s: %w", message.ID, err)
	}
	doc := searchDocument{ConversationID: message.ConversationID, MessageID: message.ID}
	return s.addDocument(tx, userID, doc, message.Text)
}
