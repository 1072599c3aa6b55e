package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// CreateShareLink stores a link to a conversation of the user's.
func (s *Store) CreateShareLink(ctx context.Context, userID string, link *models.ShareLink) error {
	link.ID, link.CreatedBy, link.CreatedAt = NewID(), userID, s.now()
	return s.tx(ctx, func(tx *gorm.DB) error {
		if _, err := lockConversation(tx, userID, link.ConversationID, 0); err != nil {
			return err
		}
		if err := fresh(tx).Create(link).Error; err != nil {
			return fmt.Errorf("store a link to conversation %s: %w", link.ConversationID, err)
		}
		return nil
	})
}

// ListShareLinks returns the links to a conversation that the user may reach, newest first.
func (s *Store) ListShareLinks(ctx context.Context, userID, conversationID string) ([]models.ShareLink, error) {
	if _, err := s.GetConversation(ctx, userID, conversationID); err != nil {
		return nil, err
	}
	var links []models.ShareLink
	err := s.read(ctx).Where("conversation_id = ? AND (expires_at = 0 OR expires_at > ?)", conversationID, s.now()).
		Order("id DESC").Find(&links).Error
	if err != nil {
		return nil, fmt.Errorf("list the links to conversation %s: %w", conversationID, err)
	}
	return links, nil
}

// DeleteShareLink revokes a link to a conversation of the user's.
func (s *Store) DeleteShareLink(ctx context.Context, userID, conversationID, id string) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		if _, err := lockConversation(tx, userID, conversationID, 0); err != nil {
			return err
		}
		done := fresh(tx).Delete(&models.ShareLink{}, "id = ? AND conversation_id = ?", id, conversationID)
		if done.Error != nil {
			return fmt.Errorf("delete a link to conversation %s: %w", conversationID, done.Error)
		}
		if done.RowsAffected == 0 {
			return notFound("link", id)
		}
		return nil
	})
}

// SharedConversation returns the conversation that a link's hash shows, or not_found. A link
// shows nothing while the account of who made it is disabled.
func (s *Store) SharedConversation(ctx context.Context, hash string) (*models.Conversation, error) {
	var conv models.Conversation
	err := s.read(ctx).Model(&models.Conversation{}).
		Joins("JOIN share_links l ON l.conversation_id = conversations.id").
		Joins("JOIN users u ON u.id = l.created_by AND u.disabled_at = 0").
		Where("l.hash = ? AND (l.expires_at = 0 OR l.expires_at > ?)", hash, s.now()).Take(&conv).Error
	if err != nil {
		return nil, found(err, "shared conversation behind this link", "")
	}
	return &conv, nil
}
