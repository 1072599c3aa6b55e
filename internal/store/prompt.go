package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// ListPrompts returns the prompts that a user can use, their own and what others share, last
// changed first.
func (s *Store) ListPrompts(ctx context.Context, userID string, page Page) (List[models.Prompt], error) {
	list, err := lastChanged(s.read(ctx).Where("(user_id = ? OR shared)", userID), page,
		func(p models.Prompt) position { return position{At: int64(p.UpdatedAt), ID: p.ID} })
	if err != nil {
		return list, fmt.Errorf("list prompts: %w", err)
	}
	return list, nil
}

// CreatePrompt stores a new prompt.
func (s *Store) CreatePrompt(ctx context.Context, prompt *models.Prompt) error {
	prompt.ID, prompt.CreatedAt = NewID(), s.now()
	prompt.UpdatedAt = prompt.CreatedAt
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(prompt).Error; err != nil {
			return fmt.Errorf("store a prompt: %w", err)
		}
		return nil
	})
}

// ChangePrompt changes a user's own prompt, or returns not_found.
func (s *Store) ChangePrompt(ctx context.Context, userID, id string, change func(*models.Prompt)) (*models.Prompt,
	error) {
	var prompt models.Prompt
	return &prompt, s.tx(ctx, func(tx *gorm.DB) error {
		prompt = models.Prompt{}
		if err := tx.Take(&prompt, "id = ? AND user_id = ?", id, userID).Error; err != nil {
			return found(err, "prompt", id)
		}
		change(&prompt)
		prompt.UpdatedAt = s.now()
		if err := tx.Save(&prompt).Error; err != nil {
			return fmt.Errorf("change prompt %s: %w", id, err)
		}
		return nil
	})
}

// DeletePrompt deletes a user's own prompt, or returns not_found.
func (s *Store) DeletePrompt(ctx context.Context, userID, id string) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		done := tx.Where("id = ? AND user_id = ?", id, userID).Delete(&models.Prompt{})
		if done.Error != nil {
			return fmt.Errorf("delete prompt %s: %w", id, done.Error)
		}
		if done.RowsAffected == 0 {
			return notFound("prompt", id)
		}
		return nil
	})
}
