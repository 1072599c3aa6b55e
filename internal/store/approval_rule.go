package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// standing writes the rule that an approval of a wider scope makes. It covers what the
// decision says, or else the arguments that were approved: the edited ones, if there are any.
func standing(tx *gorm.DB, a *models.Approval, d Decision) error {
	if a.Status != models.ApprovalApproved || a.Scope != models.ScopeConversation && a.Scope != models.ScopeAlways {
		return nil
	}
	rule := &models.ApprovalRule{
		ID: NewID(), UserID: a.UserID, Tool: a.Tool, ArgumentsHash: a.ArgumentsHash, Arguments: a.Arguments,
		ApprovalID: a.ID, CreatedBy: d.By, CreatedAt: a.DecidedAt,
	}
	if a.EditedHash != "" {
		rule.ArgumentsHash, rule.Arguments = a.EditedHash, d.EditedShown
	}
	rule.Coverage = a.Coverage
	if d.OtherCalls {
		rule.ArgumentsHash, rule.Arguments = "", ""
	}
	if a.Scope == models.ScopeConversation {
		rule.ConversationID = &a.ConversationID
	}
	if err := tx.Create(rule).Error; err != nil {
		return fmt.Errorf("store the standing approval that comes of %s: %w", a.ID, err)
	}
	return nil
}

// ListApprovalRules returns a page of the standing approvals in force, newest
// first: a user's, or everybody's for the empty user.
func (s *Store) ListApprovalRules(ctx context.Context, userID string, page Page) (List[models.ApprovalRule], error) {
	query := s.read(ctx).Where("revoked_at = 0")
	if userID != "" {
		query = query.Where("user_id = ?", userID)
	}
	rules, err := newestFirst(query, page, func(r models.ApprovalRule) string { return r.ID })
	if err != nil {
		return rules, fmt.Errorf("list the standing approvals: %w", err)
	}
	return rules, nil
}

// RevokeApprovalRule ends a standing approval of a user, or anybody's for the
// empty user. It returns not_found where it is not in force.
func (s *Store) RevokeApprovalRule(ctx context.Context, userID, id, by string) (*models.ApprovalRule, error) {
	var rule models.ApprovalRule
	err := s.tx(ctx, func(tx *gorm.DB) error {
		query := tx.Where("id = ? AND revoked_at = 0", id)
		if userID != "" {
			query = query.Where("user_id = ?", userID)
		}
		rule = models.ApprovalRule{}
		if err := query.Take(&rule).Error; err != nil {
			return found(err, "standing approval", id)
		}
		rule.RevokedAt, rule.RevokedBy = s.now(), by
		if err := tx.Model(&rule).Select("revoked_at", "revoked_by").Updates(&rule).Error; err != nil {
			return fmt.Errorf("revoke standing approval %s: %w", id, err)
		}
		return nil
	})
	return &rule, err
}
