package store

import (
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// searchDocument is what search finds: a conversation's title, or one message.
// The terms are in the dialect's search table under the same id. Ids grow, so a
// greater one was written or changed later.
type searchDocument struct {
	ID             int64 `gorm:"primaryKey;autoIncrement"`
	ConversationID string
	MessageID      string // empty: the title
}

// TableName is the table of the first migration.
func (searchDocument) TableName() string { return "search_documents" }

// indexTitle makes a conversation's title searchable. It belongs into the
// transaction that writes the title.
func (s *Store) indexTitle(tx *gorm.DB, conv *models.Conversation) error {
	return s.index(tx, conv.UserID, searchDocument{ConversationID: conv.ID}, conv.Title)
}

// index makes a text searchable instead of what it was.
func (s *Store) index(tx *gorm.DB, userID string, doc searchDocument, text string) error {
	if err := s.unindex(tx, "conversation_id = ? AND message_id = ?", doc.ConversationID, doc.MessageID); err != nil {
		return err
	}
	return s.addDocument(tx, userID, doc, text)
}

// addDocument makes a text searchable that was not.
func (s *Store) addDocument(tx *gorm.DB, userID string, doc searchDocument, text string) error {
	pieces := searchPieces(text)
	if len(pieces) == 0 {
		return nil
	}
	if err := tx.Create(&doc).Error; err != nil {
		return fmt.Errorf("index for search: %w", err)
	}
	if err := s.dialect.indexDocument(tx, doc.ID, userID, pieces); err != nil {
		return fmt.Errorf("index for search: %w", err)
	}
	return nil
}

// unindex forgets the documents that a condition selects.
func (s *Store) unindex(tx *gorm.DB, where string, args ...any) error {
	var ids []int64
	if err := tx.Model(&searchDocument{}).Where(where, args...).Pluck("id", &ids).Error; err != nil {
		return fmt.Errorf("find what to take out of the search index: %w", err)
	}
	for len(ids) > 0 {
		batch := ids[:min(len(ids), 500)]
		ids = ids[len(batch):]
		if err := s.dialect.removeDocuments(tx, batch); err != nil {
			return fmt.Errorf("take documents out of the search index: %w", err)
		}
		if err := tx.Delete(&searchDocument{}, batch).Error; err != nil {
			return fmt.Errorf("take documents out of the search index: %w", err)
		}
	}
	return nil
}
