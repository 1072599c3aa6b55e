package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// KeyClaim is the right to answer the request of an idempotency key.
type KeyClaim struct{ userID, key, id string }

// KeyLease is how long the claim of a key holds that is not renewed: after that the process
// of the request is taken for dead.
const KeyLease = 10 * time.Second

// BeginIdempotent claims a user's key for a request. A nil answer without an error
// means: go on, renew the claim while the request is at work, and end with
// FinishIdempotent or AbandonIdempotent. A stored
// answer is to be sent again. The errors are idempotency_mismatch, where the key
// came with another request before, and conflict, where that request is still at
// work. A key is forgotten after ttl.
func (s *Store) BeginIdempotent(ctx context.Context, userID, key, hash string,
	ttl time.Duration) (claim KeyClaim, stored *models.IdempotencyKey, err error) {
	claim = KeyClaim{userID, key, NewID()}
	err = s.tx(ctx, func(tx *gorm.DB) error {
		now := s.now()
		stored = nil
		err := tx.Where("user_id = ? AND key = ? AND expires_at <= ?", userID, key,
			now).Delete(&models.IdempotencyKey{}).Error
		if err != nil {
			return fmt.Errorf("forget an idempotency key: %w", err)
		}
		row := models.IdempotencyKey{UserID: userID, Key: key, RequestHash: hash, CreatedAt: now,
			ExpiresAt: models.TimeOf(now.Std().Add(ttl)), Claim: claim.id,
			ClaimedUntil: models.TimeOf(now.Std().Add(KeyLease))}
		var before models.IdempotencyKey
		for range 3 { // the row that was in the way may be given back before it is read
			made := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
			if made.Error != nil {
				return fmt.Errorf("store an idempotency key: %w", made.Error)
			}
			if made.RowsAffected == 1 {
				return nil
			}
			err = tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&before, "user_id = ? AND key = ?",
				userID, key).Error
			if !errors.Is(err, gorm.ErrRecordNotFound) {
				break
			}
		}
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return conflict("the first request with this Idempotency-Key is still at work: try again later")
		}
		if err != nil {
			return fmt.Errorf("read an idempotency key: %w", err)
		}
		switch {
		case before.RequestHash != hash:
			return &Error{Code: CodeIdempotencyMismatch,
				Message: "this Idempotency-Key was used with another request: use a new key for each request"}
		case before.Done:
			stored = &before
			return nil
		case before.ClaimedUntil > now:
			return conflict("the first request with this Idempotency-Key is still at work: try again later")
		}
		if err := tx.Model(&before).Select("claim", "claimed_until").Updates(&row).Error; err != nil {
			return fmt.Errorf("take an idempotency key over: %w", err)
		}
		return nil
	})
	return claim, stored, err
}

// RenewIdempotent extends the claim of a request that is at work for another KeyLease.
// false: it has ended, or another request has taken its place.
func (s *Store) RenewIdempotent(ctx context.Context, claim KeyClaim) (held bool, err error) {
	err = s.tx(ctx, func(tx *gorm.DB) error {
		renewed := claim.row(tx).Where("done = ?", false).
			Update("claimed_until", models.TimeOf(s.now().Std().Add(KeyLease)))
		held = renewed.RowsAffected == 1
		return renewed.Error
	})
	if err != nil {
		return false, fmt.Errorf("renew the claim of an idempotency key: %w", err)
	}
	return held, nil
}

// row is where the claim stands, as long as nobody else has the key.
func (c KeyClaim) row(tx *gorm.DB) *gorm.DB {
	return tx.Model(&models.IdempotencyKey{}).Where("user_id = ? AND key = ? AND claim = ?", c.userID, c.key, c.id)
}

// Answer is what a request was answered with.
type Answer struct {
	Status      int
	ContentType string
	Location    string
	Body        []byte
}

// FinishIdempotent stores the answer to the request that claimed the key. A key
// that was forgotten or taken over meanwhile is a conflict.
func (s *Store) FinishIdempotent(ctx context.Context, claim KeyClaim, answer Answer) error {
	return s.tx(ctx, func(db *gorm.DB) error { return (&Tx{store: s, db: db}).FinishIdempotent(claim, answer) })
}

// FinishIdempotent stores the answer together with what the request did: a request that
// repeats it finds both, or neither.
func (tx *Tx) FinishIdempotent(claim KeyClaim, answer Answer) error {
	done := claim.row(tx.db).Updates(map[string]any{"done": true, "status": answer.Status,
		"content_type": answer.ContentType, "location": answer.Location, "body": answer.Body})
	if done.Error != nil {
		return fmt.Errorf("store the answer to an idempotency key: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return conflict("another request with this Idempotency-Key is at work in the place of this one: try again later")
	}
	return nil
}

// AbandonIdempotent gives a key back whose request failed and may be repeated.
func (s *Store) AbandonIdempotent(ctx context.Context, claim KeyClaim) error {
	return s.abandon(ctx, "user_id = ? AND key = ? AND claim = ? AND done = ?", claim.userID, claim.key, claim.id, false)
}

// AbandonUnfinishedIdempotent gives all keys back whose requests died with an
// earlier process. It is for the start. Beside other processes on the same database their
// claims run out instead.
func (s *Store) AbandonUnfinishedIdempotent(ctx context.Context) error {
	if s.Shared() {
		return nil
	}
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
