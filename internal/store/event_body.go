package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// KeepEventBody stores an event that the event log refers to. Storing it again
// changes nothing. It returns not_found where the conversation is gone.
func (s *Store) KeepEventBody(ctx context.Context, body *models.EventBody) error {
	if body.CreatedAt == 0 {
		body.CreatedAt = models.Now()
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		var n int64
		if err := tx.Model(&models.Conversation{}).Where("id = ?", body.ConversationID).Count(&n).Error; err != nil {
			return fmt.Errorf("read conversation %s: %w", body.ConversationID, err)
		}
		if n == 0 {
			return notFound("conversation", body.ConversationID)
		}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(body).Error; err != nil {
			return fmt.Errorf("store a large event: %w", err)
		}
		return nil
	})
}

// EventBody reads an event that the event log refers to.
func (s *Store) EventBody(ctx context.Context, messageID string) ([]byte, error) {
	var body models.EventBody
	err := s.read(ctx).Take(&body, "message_id = ?", messageID).Error
	return body.Payload, found(err, "stored event", messageID)
}

// PurgeEventBodies deletes large events from before olderThan, and returns how many.
func (s *Store) PurgeEventBodies(ctx context.Context, olderThan models.Time) (int64, error) {
	var n int64
	err := s.tx(ctx, func(tx *gorm.DB) error {
		done := tx.Where("created_at < ?", olderThan).Delete(&models.EventBody{})
		n = done.RowsAffected
		if done.Error != nil {
			return fmt.Errorf("delete old large events: %w", done.Error)
		}
		return nil
	})
	return n, err
}
