package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// AskLive stores a question that a tool asks in the middle of its call.
func (s *Store) AskLive(ctx context.Context, f Fence, ask *models.Approval, rows []*models.Outbox) error {
	return s.fenced(ctx, f, "asked_live", func(tx *gorm.DB) error {
		ask.Live, ask.Status = true, models.ApprovalPending
		if err := tx.Create(ask).Error; err != nil {
			return fmt.Errorf("ask for an approval within a call: %w", err)
		}
		return s.progress(tx, f, rows)
	})
}

// CancelLive ends the wait of the questions that tools of a tree ask in the middle
// of their calls: of one, or, for the empty id, of all, whose process has died. It
// returns what is to be sent.
func (s *Store) CancelLive(ctx context.Context, rootRunID, approvalID string,
	out func(*models.Approval) []*models.Outbox) (rows []*models.Outbox, err error) {
	err = s.tx(ctx, func(tx *gorm.DB) error {
		rows = nil
		query := tx.Clauses(clause.Locking{Strength: "UPDATE"}).
			Where("root_run_id = ? AND live = ? AND status = ?", rootRunID, true, models.ApprovalPending)
		if approvalID != "" {
			query = query.Where("id = ?", approvalID)
		}
		var waiting []*models.Approval
		if err := query.Order("id").Find(&waiting).Error; err != nil {
			return fmt.Errorf("look for questions of run %s: %w", rootRunID, err)
		}
		for _, approval := range waiting {
			approval.Status, approval.DecidedAt = models.ApprovalCanceled, models.Now()
			if err := tx.Model(approval).Select("status", "decided_at").Updates(approval).Error; err != nil {
				return fmt.Errorf("cancel approval %s: %w", approval.ID, err)
			}
			rows = append(rows, out(approval)...)
		}
		return addOutbox(tx, rows)
	})
	return rows, err
}
