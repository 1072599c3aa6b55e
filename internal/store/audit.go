package store

import (
	"context"
	"fmt"
	"math"
	"unicode/utf8"

	"nanoclaw/internal/models"
)

// AuditQuery selects rows; an empty field selects all. Since is inclusive, Until
// is not. RunID also selects the sub-agents of a root run, AgentPath those below
// the agent.
type AuditQuery struct {
	Kind           string
	Tool           string
	UserID         string
	ProjectID      string
	ConversationID string
	RunID          string
	AgentPath      string
	Outcome        string
	Severity       string
	Since, Until   models.Time
	Page
}

// ListAudit returns a page of the rows, newest first.
func (s *Store) ListAudit(ctx context.Context, query AuditQuery) (List[models.Audit], error) {
	limit, err := query.limit()
	if err != nil {
		return List[models.Audit]{}, err
	}
	before, err := query.byNumber()
	if err != nil {
		return List[models.Audit]{}, err
	}
	if err := s.chainPending(ctx); err != nil {
		return List[models.Audit]{}, err
	}
	lines, err := s.auditBefore(ctx, query, before, limit+1)
	if err != nil {
		return List[models.Audit]{}, err
	}
	return cutPage(lines, limit, func(a models.Audit) position { return position{No: a.ID} }), nil
}

// EachAudit calls do for all rows, newest first, until it returns an error. It
// holds no transaction open between rows, so do may take its time; the page of
// the query does not matter.
func (s *Store) EachAudit(ctx context.Context, query AuditQuery, do func(*models.Audit) error) error {
	const batch = 500
	if err := s.chainPending(ctx); err != nil {
		return err
	}
	for before := int64(math.MaxInt64); ; {
		lines, err := s.auditBefore(ctx, query, before, batch)
		if err != nil {
			return err
		}
		for i := range lines {
			if err := do(&lines[i]); err != nil {
				return err
			}
			before = lines[i].ID
		}
		if len(lines) < batch {
			return nil
		}
	}
}

// auditBefore reads up to limit rows with ids below before.
func (s *Store) auditBefore(ctx context.Context, query AuditQuery, before int64, limit int) ([]models.Audit, error) {
	db := s.read(ctx)
	for _, filter := range []struct{ column, value string }{
		{"kind", query.Kind},
		{"tool", query.Tool},
		{"user_id", query.UserID},
		{"project_id", query.ProjectID},
		{"conversation_id", query.ConversationID},
		{"outcome", query.Outcome},
		{"severity", query.Severity},
	} {
		if filter.value != "" {
			db = db.Where(filter.column+" = ?", filter.value)
		}
	}
	if query.RunID != "" {
		db = db.Where("(run_id = ? OR root_run_id = ?)", query.RunID, query.RunID)
	}
	if below := query.AgentPath + "/"; below != "/" {
		db = db.Where("(agent_path = ? OR substr(agent_path, 1, ?) = ?)", query.AgentPath,
			utf8.RuneCountInString(below), below)
	}
	if query.Since != 0 {
		db = db.Where("time >= ?", query.Since)
	}
	if query.Until != 0 {
		db = db.Where("time < ?", query.Until)
	}
	var lines []models.Audit
	if err := db.Where("id < ?", before).Order("id DESC").Limit(limit).Find(&lines).Error; err != nil {
		return nil, fmt.Errorf("read the audit: %w", err)
	}
	return lines, nil
}

// DecisionAudited says whether there is a row of the same decision about the same
// call with the same arguments, severity and detail.
func (s *Store) DecisionAudited(ctx context.Context, row *models.Audit) (bool, error) {
	if err := s.chainPending(ctx); err != nil {
		return false, err
	}
	storable(row)
	var ids []int64
	err := s.read(ctx).Model(&models.Audit{}).Where("call_id = ? AND run_id = ? AND kind = ? AND outcome = ?",
		row.CallID, row.RunID, models.AuditDecision, row.Outcome).
		Where("arguments = ? AND severity = ? AND detail = ?", row.Arguments, row.Severity,
			row.Detail).Limit(1).Pluck("id", &ids).Error
	if err != nil {
		return false, fmt.Errorf("look for a decision in the audit: %w", err)
	}
	return len(ids) > 0, nil
}
