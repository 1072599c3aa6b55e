package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// BeginIdempotent claims a user's key for a request. A nil answer without an error
// means: go on, and end with FinishIdempotent or AbandonIdempotent. A stored
// answer is to be sent again. The errors are idempotency_mismatch, where the key
// came with another request before, and conflict, where that request is still at
// work. A key is forgotten after ttl.
func (s *Store) BeginIdempotent(ctx context.Context, userID, key, hash string,
	ttl time.Duration) (*models.IdempotencyKey, error) {
	var stored *models.IdempotencyKey
	err := s.tx(ctx, func(tx *gorm.DB) error {
		now := s.now()
		stored = nil
		err := tx.Where("user_id = ? AND key = ? AND expires_at <= ?", userID, key,
			now).Delete(&models.IdempotencyKey{}).Error
		if err != nil {
			return fmt.Errorf("forget an idempotency key: %w", err)
		}
		claim := models.IdempotencyKey{UserID: userID, Key: key, RequestHash: hash, CreatedAt: now,
			ExpiresAt: models.TimeOf(now.Std().Add(ttl))}
		made := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&claim)
		if made.Error != nil {
			return fmt.Errorf("store an idempotency key: %w", made.Error)
		}
		if made.RowsAffected == 1 {
			return nil
		}
		var row models.IdempotencyKey
		if err := tx.Take(&row, "user_id = ? AND key = ?", userID, key).Error; err != nil {
			return fmt.Errorf("read an idempotency key: %w", err)
		}
		switch {
		case row.RequestHash != hash:
			return &Error{Code: CodeIdempotencyMismatch,
				Message: "this Idempotency-Key was used with another request: use a new key for each request"}
		case !row.Done:
			return conflict("the first request with this Idempotency-Key is still at work: try again later")
		}
		stored = &row
		return nil
	})
	return stored, err
}

// Answer is what a request was answered with.
type Answer struct {
	Status      int
	ContentType string
	Location    string
	Body        []byte
}

// FinishIdempotent stores the answer to the request that claimed the key. A key
// that was forgotten meanwhile is not_found.
func (s *Store) FinishIdempotent(ctx context.Context, userID, key string, answer Answer) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		done := tx.Model(&models.IdempotencyKey{}).Where("user_id = ? AND key = ? AND done = ?", userID, key, false).
			Updates(map[string]any{"done": true, "status": answer.Status, "content_type": answer.ContentType,
				"location": answer.Location, "body": answer.Body})
		if done.Error != nil {
			return fmt.Errorf("store the answer to an idempotency key: %w", done.Error)
		}
		if done.RowsAffected == 0 {
			return notFound("claimed idempotency key", key)
		}
		return nil
	})
}

// AbandonIdempotent gives a key back whose request failed and may be repeated.
func (s *Store) AbandonIdempotent(ctx context.Context, userID, key string) error {
	return s.abandon(ctx, "user_id = ? AND key = ? AND done = ?", userID, key, false)
}

// AbandonUnfinishedIdempotent gives all keys back whose requests died with an
// earlier process. It is for the start of the only process on the database.
func (s *Store) AbandonUnfinishedIdempotent(ctx context.Context) error {
	return s.abandon(ctx, "done = ?", false)
}

func (s *Store) abandon(ctx context.Context, where string, args ...any) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Where(where, args...).Delete(&models.IdempotencyKey{}).Error; err != nil {
			return fmt.Errorf("give an idempotency key back: %w", err)
		}
		return nil
	})
}
