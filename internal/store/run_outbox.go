package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// addOutbox writes messages in the order in which they are to be sent, and fills their ids.
func addOutbox(tx *gorm.DB, rows []*models.Outbox) error {
	if len(rows) == 0 {
		return nil
	}
	now := models.Now()
	for _, row := range rows {
		row.CreatedAt = now
	}
	if err := tx.Create(rows).Error; err != nil {
		return fmt.Errorf("write the outbox: %w", err)
	}
	return nil
}

// Publish writes messages that belong to no other change. The caller sends them.
func (s *Store) Publish(ctx context.Context, rows []*models.Outbox) error {
	return s.tx(ctx, func(tx *gorm.DB) error { return addOutbox(tx, rows) })
}

// PendingOutbox returns at most limit messages that were written before the
// moment and perhaps never sent, in order.
func (s *Store) PendingOutbox(ctx context.Context, before models.Time, limit int) ([]*models.Outbox, error) {
	var rows []*models.Outbox
	err := s.read(ctx).Where("created_at <= ?", before).Order("id").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	return rows, nil
}

// DeleteOutbox forgets messages that were sent.
func (s *Store) DeleteOutbox(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Delete(&models.Outbox{}, "id IN ?", ids).Error; err != nil {
			return fmt.Errorf("delete from the outbox: %w", err)
		}
		return nil
	})
}
