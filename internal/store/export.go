package store

import (
	"context"
	"fmt"
	"io"
	"slices"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// Export is a conversation with all that it shows.
type Export struct {
	Conversation models.Conversation
	Messages     []models.Message // all branches, oldest first
	Uploads      []models.Upload  // of the messages, with their bytes
	// NewID is what an imported conversation gets; empty: any.
	NewID string
}

// ExportConversation reads the user's conversation as it is at one moment.
func (s *Store) ExportConversation(ctx context.Context, userID, id string) (*Export, error) {
	var export Export
	err := s.snapshot(ctx, func(tx *gorm.DB) error {
		conv, err := getConversation(tx, userID, id)
		if err != nil {
			return err
		}
		export = Export{Conversation: *conv}
		if export.Messages, err = allMessages(tx, id); err != nil {
			return err
		}
		export.Uploads, err = uploadsOf(tx, userID, export.Messages)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &export, nil
}

func uploadsOf(tx *gorm.DB, userID string, messages []models.Message) ([]models.Upload, error) {
	var ids []string
	for _, message := range messages {
		for _, a := range message.Attachments {
			if a.UploadID != "" && !slices.Contains(ids, a.UploadID) {
				ids = append(ids, a.UploadID)
			}
		}
	}
	var uploads []models.Upload
	err := inBatches(ids, func(ids []string) error {
		var some []models.Upload
		err := inConversations(tx.Where("id IN ? AND size >= 0", ids), userID).Order("id").Find(&some).Error
		for i := 0; err == nil && i < len(some); i++ {
			some[i].Data = make([]byte, some[i].Size)
			_, err = io.ReadFull(io.NewSectionReader(&uploadReader{db: tx, id: some[i].ID}, 0, some[i].Size),
				some[i].Data)
		}
		uploads = append(uploads, some...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the uploads of messages: %w", err)
	}
	return uploads, nil
}
