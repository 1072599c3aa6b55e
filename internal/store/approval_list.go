package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// ApprovalQuery selects approvals; an empty field selects all.
type ApprovalQuery struct {
	UserID         string
	ConversationID string
	Status         string
	Page
}

// ListApprovals returns a page of approvals, newest first.
func (s *Store) ListApprovals(ctx context.Context, q ApprovalQuery) (List[models.Approval], error) {
	query := s.read(ctx)
	for _, filter := range []struct{ column, value string }{
		{"user_id", q.UserID}, {"conversation_id", q.ConversationID}, {"status", q.Status},
	} {
		if filter.value != "" {
			query = query.Where(filter.column+" = ?", filter.value)
		}
	}
	list, err := newestFirst(query, q.Page, func(a models.Approval) string { return a.ID })
	if err != nil {
		return list, fmt.Errorf("list approvals: %w", err)
	}
	return list, nil
}

// GetApproval returns an approval of a user, or anybody's for the empty user.
func (s *Store) GetApproval(ctx context.Context, userID, id string) (*models.Approval, error) {
	query := s.read(ctx).Where("id = ?", id)
	if userID != "" {
		query = query.Where("user_id = ?", userID)
	}
	var approval models.Approval
	if err := query.Take(&approval).Error; err != nil {
		return nil, found(err, "approval", id)
	}
	return &approval, nil
}

// newestFirst reads one page of rows by descending id; ids grow with time.
func newestFirst[T any](db *gorm.DB, page Page, id func(T) string) (List[T], error) {
	limit, err := page.limit()
	if err != nil {
		return List[T]{}, err
	}
	after, err := page.byTime()
	if err != nil {
		return List[T]{}, err
	}
	if after != nil {
		db = db.Where("id < ?", after.ID)
	}
	var rows []T
	if err := db.Order("id DESC").Limit(limit + 1).Find(&rows).Error; err != nil {
		return List[T]{}, err
	}
	return cutPage(rows, limit, func(row T) position { return position{ID: id(row)} }), nil
}
