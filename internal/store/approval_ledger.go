package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// StandingApprovals are those of a user for a tool, in this conversation, in the one that
// it is a background task of, or everywhere: of the arguments with the hash, and all that cover more than one call.
func (s *Store) StandingApprovals(ctx context.Context, userID, conversationID, tool,
	hash string) ([]*models.ApprovalRule, error) {
	var rules []*models.ApprovalRule
	err := s.read(ctx).Where("user_id = ? AND tool = ? AND revoked_at = 0", userID, tool).
		Where("(arguments_hash = ? OR arguments_hash = '' AND coverage <> '')", hash).
		Where("(conversation_id IS NULL OR conversation_id = ? OR conversation_id IN (?))", conversationID,
			s.read(ctx).Model(&models.Conversation{}).Select("task_of").Where("id = ? AND task_of <> ''", conversationID)).
		Order("id").Find(&rules).Error
	if err != nil {
		return nil, fmt.Errorf("look for a standing approval of %s: %w", tool, err)
	}
	return rules, nil
}

// CallsBefore counts the calls that were made before a call, of one tool or, for
// "*", of any: in the tree of its root run, and in its conversation. What
// retention has removed does not count.
func (s *Store) CallsBefore(ctx context.Context, callID, rootRunID, conversationID,
	tool string) (inRun, inConversation int, err error) {
	made := func(db *gorm.DB) *gorm.DB {
		db = db.Model(&models.ToolCall{}).Where("id < ?", callID) // ids grow with time
		if tool != "*" {
			db = db.Where("name = ?", tool)
		}
		return db
	}
	var run, conversation int64
	if err := made(s.read(ctx)).Where("root_run_id = ?", rootRunID).Count(&run).Error; err != nil {
		return 0, 0, fmt.Errorf("count the calls of run %s: %w", rootRunID, err)
	}
	runs := s.read(ctx).Model(&models.Run{}).Select("id").Where("conversation_id = ?", conversationID)
	if err := made(s.read(ctx)).Where("root_run_id IN (?)", runs).Count(&conversation).Error; err != nil {
		return 0, 0, fmt.Errorf("count the calls of conversation %s: %w", conversationID, err)
	}
	return int(run), int(conversation), nil
}
