package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// AskApproval is the checkpoint at which a call begins to wait for a person: the
// call is suspended and its approval pending. A call that waits already, or was
// decided on meanwhile, keeps what it has and rows are nil; its decision counts at
// the next look. Where what would run has changed since it was asked or decided
// on (another hash, or stale), it is asked anew, as another approval: a decision
// that somebody sends again, or makes on what was shown before, does not count.
func (s *Store) AskApproval(ctx context.Context, f Fence, ask *models.Approval, stale bool,
	out func(*models.Approval) []*models.Outbox) (rows []*models.Outbox, err error) {
	err = s.fenced(ctx, f, "suspended", func(tx *gorm.DB) error {
		rows = nil
		var known []*models.Approval
		if err := tx.Where("call_id = ?", ask.CallID).Limit(1).Find(&known).Error; err != nil {
			return fmt.Errorf("look for the approval of call %s: %w", ask.CallID, err)
		}
		if len(known) == 1 && !stale && known[0].ArgumentsHash == ask.ArgumentsHash &&
			known[0].Status != models.ApprovalCanceled {
			return nil
		}
		var replaced []*models.Outbox
		if len(known) == 1 {
			if replaced, err = replace(tx, known[0], out); err != nil {
				return err
			}
		}
		ask.Status = models.ApprovalPending
		if err := tx.Create(ask).Error; err != nil {
			return fmt.Errorf("ask for an approval of call %s: %w", ask.CallID, err)
		}
		err := tx.Model(&models.ToolCall{}).Where("id = ? AND state IN ?", ask.CallID, []string{models.CallPending,
			models.CallSuspended}).
			Update("state", models.CallSuspended).Error
		if err != nil {
			return fmt.Errorf("suspend tool call %s: %w", ask.CallID, err)
		}
		rows = append(replaced, out(ask)...)
		return s.progress(tx, f, rows)
	})
	return rows, err
}

// replace takes an approval off its call, which is asked about anew. One that
// waits is cancelled; the rows tell so.
func replace(tx *gorm.DB, a *models.Approval,
	out func(*models.Approval) []*models.Outbox) (rows []*models.Outbox, err error) {
	if a.Status == models.ApprovalPending {
		a.Status, a.DecidedAt = models.ApprovalCanceled, models.Now()
		rows = out(a)
	}
	a.CallID = a.ID
	if err := tx.Model(a).Select("call_id", "status", "decided_at").Updates(a).Error; err != nil {
		return nil, fmt.Errorf("replace approval %s: %w", a.ID, err)
	}
	return rows, nil
}

// PendingApprovals are the calls of a tree that wait, the longest first.
func (s *Store) PendingApprovals(ctx context.Context, rootRunID string) ([]*models.Approval, error) {
	var waiting []*models.Approval
	err := s.read(ctx).Where("root_run_id = ? AND status = ?", rootRunID,
		models.ApprovalPending).Order("id").Find(&waiting).Error
	if err != nil {
		return nil, fmt.Errorf("read what run %s waits for: %w", rootRunID, err)
	}
	return waiting, nil
}

// WaitingCalls are the approvals of calls of one tool by the same user that wait, in the
// conversation or, where that is empty, anywhere.
func (s *Store) WaitingCalls(ctx context.Context, userID, conversationID, tool string) ([]*models.Approval, error) {
	query := s.read(ctx).Where("user_id = ? AND status = ? AND live = ? AND tool = ?", userID,
		models.ApprovalPending, false, tool)
	if conversationID != "" {
		query = query.Where("conversation_id = ?", conversationID)
	}
	var waiting []*models.Approval
	if err := query.Order("id").Find(&waiting).Error; err != nil {
		return nil, fmt.Errorf("look for calls of %s that wait: %w", tool, err)
	}
	return waiting, nil
}

// CloseApproval cancels the approval that a call waits for, which is about to run
// without it: by now the guard has nothing against it. It returns nil where none waits.
func (s *Store) CloseApproval(ctx context.Context, f Fence, callID string,
	out func(*models.Approval) []*models.Outbox) (rows []*models.Outbox, err error) {
	err = s.fenced(ctx, f, "closed", func(tx *gorm.DB) error {
		rows = nil
		var waiting []*models.Approval
		if err := tx.Where("call_id = ? AND status = ?", callID,
			models.ApprovalPending).Find(&waiting).Error; err != nil {
			return fmt.Errorf("look for the approval of call %s: %w", callID, err)
		}
		for _, approval := range waiting {
			approval.Status, approval.DecidedAt = models.ApprovalCanceled, models.Now()
			if err := tx.Model(approval).Select("status", "decided_at").Updates(approval).Error; err != nil {
				return fmt.Errorf("close approval %s: %w", approval.ID, err)
			}
			rows = append(rows, out(approval)...)
		}
		return addOutbox(tx, rows)
	})
	return rows, err
}

// CallApprovals are the approvals of a run's calls that have not finished: those
// that wait, and those that were decided on.
func (s *Store) CallApprovals(ctx context.Context, runID string) ([]*models.Approval, error) {
	var approvals []*models.Approval
	err := s.read(ctx).Where("run_id = ? AND status <> ?", runID, models.ApprovalCanceled).
		Where("call_id IN (?)", s.read(ctx).Model(&models.ToolCall{}).Select("id").Where("run_id = ? AND state <> ?",
			runID, models.CallFinished)).
		Order("id").Find(&approvals).Error
	if err != nil {
		return nil, fmt.Errorf("read the approvals of the calls of run %s: %w", runID, err)
	}
	return approvals, nil
}

// decidedStatuses are the ends of an approval that its call is told of.
var decidedStatuses = []string{models.ApprovalApproved, models.ApprovalDenied, models.ApprovalExpired}

// unseenDecisions says whether a call of the tree waits although its decision is
// there, other than those that the worker has seen: the moments of decision by
// approval.
func unseenDecisions(tx *gorm.DB, rootRunID string, seen map[string]models.Time) (bool, error) {
	var decided []*models.Approval
	err := tx.Select("id", "decided_at").Where("root_run_id = ? AND status IN ?", rootRunID, decidedStatuses).
		Where("call_id IN (?)", tx.Model(&models.ToolCall{}).Select("id").Where("root_run_id = ? AND state = ?",
			rootRunID, models.CallSuspended)).
		Find(&decided).Error
	if err != nil {
		return false, fmt.Errorf("look for decisions that run %s has not seen: %w", rootRunID, err)
	}
	for _, approval := range decided {
		if seen[approval.ID] != approval.DecidedAt {
			return true, nil
		}
	}
	return false, nil
}
