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
	if q.UserID != "" {
		query = asked(query, q.UserID)
	}
	for _, filter := range []struct{ column, value string }{
		{"conversation_id", q.ConversationID}, {"status", q.Status},
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

// GetApproval returns an approval that a user may reach, or anybody's for the empty user.
func (s *Store) GetApproval(ctx context.Context, userID, id string) (*models.Approval, error) {
	var approval models.Approval
	err := take(s.read(ctx), &approval, "approval", id, func(db *gorm.DB) *gorm.DB {
		db = db.Where("id = ?", id)
		if userID == "" {
			return db
		}
		return asked(db, userID)
	})
	if err != nil {
		return nil, err
	}
	return &approval, nil
}

// asked restricts a query on approvals to those of the user's agents, and of the
// conversations that they may reach.
func asked(db *gorm.DB, userID string) *gorm.DB {
	return db.Where("(user_id = ? OR conversation_id IN (?))", userID, reachable(db, userID))
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
