package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// CreateSignInState stores a sign-in that begins.
func (s *Store) CreateSignInState(ctx context.Context, state *models.SignInState) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(state).Error; err != nil {
			return fmt.Errorf("store the beginning of a sign-in: %w", err)
		}
		return nil
	})
}

// TakeSignInState returns a sign-in under way and forgets it: a second use is not_found.
func (s *Store) TakeSignInState(ctx context.Context, hash string) (*models.SignInState, error) {
	var state models.SignInState
	err := s.tx(ctx, func(tx *gorm.DB) error {
		state = models.SignInState{}
		err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).
			Take(&state, "hash = ? AND expires_at > ?", hash, s.now()).Error
		if err != nil {
			return found(err, "sign-in under way", "")
		}
		return tx.Delete(&models.SignInState{}, "hash = ?", hash).Error
	})
	return &state, err
}

// UserBySubject returns who is a subject of an issuer, or not_found.
func (s *Store) UserBySubject(ctx context.Context, issuer, subject string) (*models.User, error) {
	var user models.User
	if err := s.read(ctx).Take(&user, "issuer = ? AND subject = ? AND subject <> ''", issuer, subject).Error; err != nil {
		return nil, found(err, "user", "")
	}
	return &user, nil
}

// Attempt is what a sign-in counts against.
type Attempt struct {
	ID string
	// Wait is how long the next one has to wait behind a number of failures in a row.
	Wait func(failures int64) time.Duration
}

// BeginSignIn counts a sign-in as failed before it is known how it ends, so that many at once,
// here and in other processes, are no more than their number. Where one of the attempts has to
// wait, nothing is counted, and wait says for how long.
func (s *Store) BeginSignIn(ctx context.Context, attempts ...Attempt) (wait time.Duration, err error) {
	err = s.tx(ctx, func(tx *gorm.DB) error {
		wait = 0
		for _, attempt := range attempts {
			if err := s.dialect.serialize(tx, "failed sign-ins "+attempt.ID); err != nil {
				return err
			}
			failure := models.SignInFailure{ID: attempt.ID}
			if err := tx.Where("id = ?", attempt.ID).Limit(1).Find(&failure).Error; err != nil {
				return fmt.Errorf("read the failed sign-ins: %w", err)
			}
			if behind := attempt.Wait(failure.Failures); behind > 0 {
				wait = max(wait, failure.LastAt.Std().Add(behind).Sub(s.now().Std()))
			}
		}
		if wait > 0 {
			return nil
		}
		now := s.now()
		for _, attempt := range attempts {
			err := tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.Assignments(
				map[string]any{"failures": gorm.Expr("sign_in_failures.failures + 1"), "last_at": now})}).
				Create(&models.SignInFailure{ID: attempt.ID, Failures: 1, LastAt: now}).Error
			if err != nil {
				return fmt.Errorf("count a sign-in: %w", err)
			}
		}
		return nil
	})
	return wait, err
}

// SignInSucceeded deletes the failures of one id and takes one of another one's back.
func (s *Store) SignInSucceeded(ctx context.Context, forget, takeBack string) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Delete(&models.SignInFailure{}, "id = ?", forget).Error; err != nil {
			return fmt.Errorf("delete the failed sign-ins: %w", err)
		}
		err := tx.Model(&models.SignInFailure{}).Where("id = ? AND failures > 0", takeBack).
			Update("failures", gorm.Expr("failures - 1")).Error
		if err != nil {
			return fmt.Errorf("count a sign-in: %w", err)
		}
		return nil
	})
}
