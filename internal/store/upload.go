package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// CreateUpload stores a file of upload.UserID. An empty ID gets one; Size becomes
// the length of Data.
func (s *Store) CreateUpload(ctx context.Context, upload *models.Upload) error {
	if upload.ID == "" {
		upload.ID = NewID()
	}
	upload.Size = int64(len(upload.Data))
	upload.CreatedAt = s.now()
	return s.tx(ctx, func(tx *gorm.DB) error { return createUpload(tx, upload) })
}

func createUpload(tx *gorm.DB, upload *models.Upload) error {
	if err := tx.Create(upload).Error; err != nil {
		return fmt.Errorf("store upload %q: %w", upload.Name, err)
	}
	return nil
}

// GetUpload returns the user's file with its bytes, or not_found.
func (s *Store) GetUpload(ctx context.Context, userID, id string) (*models.Upload, error) {
	var upload models.Upload
	if err := s.read(ctx).Take(&upload, "id = ? AND user_id = ?", id, userID).Error; err != nil {
		return nil, found(err, "upload", id)
	}
	return &upload, nil
}

// UploadInfo returns what is known of the user's files but their bytes, in the
// order of the ids; one that is not the user's is not_found.
func (s *Store) UploadInfo(ctx context.Context, userID string, ids []string) ([]models.Upload, error) {
	var rows []models.Upload
	err := s.read(ctx).Omit("data").Where("user_id = ? AND id IN ?", userID, ids).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read uploads: %w", err)
	}
	known := make(map[string]models.Upload, len(rows))
	for _, row := range rows {
		known[row.ID] = row
	}
	ordered := make([]models.Upload, len(ids))
	for i, id := range ids {
		upload, ok := known[id]
		if !ok {
			return nil, notFound("upload", id)
		}
		ordered[i] = upload
	}
	return ordered, nil
}

// DeleteUpload deletes the user's file; not_found where there is none. Messages
// that show it keep its name.
func (s *Store) DeleteUpload(ctx context.Context, userID, id string) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		done := tx.Where("id = ? AND user_id = ?", id, userID).Delete(&models.Upload{})
		if done.Error != nil {
			return fmt.Errorf("delete upload %s: %w", id, done.Error)
		}
		if done.RowsAffected == 0 {
			return notFound("upload", id)
		}
		return nil
	})
}
