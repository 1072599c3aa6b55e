package store

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// addOutbox writes messages in the order in which they are to be sent, and fills their ids.
func addOutbox(tx *gorm.DB, rows []*models.Outbox) error {
	if len(rows) == 0 {
		return nil
	}
	now := models.Now()
	values := make([]any, 0, 4*len(rows))
	for _, row := range rows {
		row.CreatedAt = now
		values = append(values, row.Subject, row.MessageID, row.Payload, now)
	}
	var ids []int64
	err := tx.Raw("INSERT INTO outbox (subject, message_id, payload, created_at) VALUES (?, ?, ?, ?)"+
		strings.Repeat(
			", (?, ?, ?, ?)",
			len(rows)-1,
		)+" RETURNING id", values...).Find(&ids).Error // Scan would show values in the log
	if err != nil {
		return fmt.Errorf("write the outbox: %w", err)
	}
	for i, row := range rows {
		row.ID = ids[i]
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

// OutboxHas says whether messages of a subject wait to be sent, or to be forgotten.
func (s *Store) OutboxHas(ctx context.Context, subject string) (bool, error) {
	var ids []int64
	err := s.read(ctx).Model(&models.Outbox{}).Where("subject = ?", subject).Limit(1).Pluck("id", &ids).Error
	if err != nil {
		return false, fmt.Errorf("look for messages in the outbox: %w", err)
	}
	return len(ids) > 0, nil
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
