package store

import (
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// endBelow cancels what is left below a run that has ended: sub-agents that have
// not, and approvals that nobody has decided, its own and theirs.
func endBelow(tx *gorm.DB, run *models.Run) (Ended, error) {
	var alive []*models.Run
	err := tx.Where("root_run_id = ? AND parent_run_id <> '' AND status IN ?", run.RootRunID,
		[]string{models.RunQueued, models.RunRunning, models.RunWaitingApproval}).Order("id").Find(&alive).Error
	if err != nil {
		return Ended{}, fmt.Errorf("look for the sub-agents of run %s: %w", run.ID, err)
	}
	var ended Ended
	below := map[string]bool{run.ID: true}
	for _, child := range alive { // ids grow with time: a parent comes before its children
		if !below[child.ParentRunID] {
			continue
		}
		below[child.ID] = true
		child.Status, child.FinishedAt = models.RunCancelled, run.FinishedAt
		child.ErrorCode, child.ErrorMessage = "cancelled", "the run that it belonged to ended"
		err := tx.Model(child).Select("status", "finished_at", "error_code", "error_message").Updates(child).Error
		if err != nil {
			return Ended{}, fmt.Errorf("end sub-agent %s: %w", child.ID, err)
		}
		ended.Children = append(ended.Children, child)
	}
	var waiting []*models.Approval
	err = tx.Where("root_run_id = ? AND status = ?", run.RootRunID,
		models.ApprovalPending).Order("id").Find(&waiting).Error
	if err != nil {
		return Ended{}, fmt.Errorf("look for what run %s waits for: %w", run.ID, err)
	}
	for _, approval := range waiting {
		if !below[approval.RunID] && run.ParentRunID != "" {
			continue
		}
		approval.Status, approval.DecidedAt = models.ApprovalCanceled, run.FinishedAt
		if err := tx.Model(approval).Select("status", "decided_at").Updates(approval).Error; err != nil {
			return Ended{}, fmt.Errorf("end approval %s: %w", approval.ID, err)
		}
		ended.Approvals = append(ended.Approvals, approval)
	}
	return ended, nil
}
