package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// Run reads a run that a user may reach; an empty user means any.
func (s *Store) Run(ctx context.Context, userID, runID string) (*models.Run, error) {
	var run models.Run
	err := take(s.read(ctx), &run, "run", runID, func(db *gorm.DB) *gorm.DB {
		db = db.Where("id = ?", runID)
		if userID == "" {
			return db
		}
		return inConversations(db, userID)
	})
	if err != nil {
		return nil, err
	}
	return &run, nil
}

// SubAgents reads the sub-agents below a root run, oldest first.
func (s *Store) SubAgents(ctx context.Context, rootRunID string) ([]*models.Run, error) {
	var runs []*models.Run
	err := s.read(ctx).Where("root_run_id = ? AND parent_run_id <> ''", rootRunID).Order("id").Find(&runs).Error
	if err != nil {
		return nil, fmt.Errorf("read the sub-agents of run %s: %w", rootRunID, err)
	}
	return runs, nil
}

// ActiveRuns reads the root runs of a conversation that have not ended, the one
// at work before those that wait for their turn.
func (s *Store) ActiveRuns(ctx context.Context, conversationID string) ([]*models.Run, error) {
	var runs []*models.Run
	err := s.read(ctx).Where("conversation_id = ? AND parent_run_id = '' AND status IN ?", conversationID,
		[]string{models.RunQueued, models.RunRunning,
			models.RunWaitingApproval}).Order("deferred, id").Find(&runs).Error
	if err != nil {
		return nil, fmt.Errorf("read the active runs of conversation %s: %w", conversationID, err)
	}
	return runs, nil
}

// Steps reads a run's model turns and their tool calls, in order.
func (s *Store) Steps(ctx context.Context, runID string) ([]*models.Step, []*models.ToolCall, error) {
	var steps []*models.Step
	if err := s.read(ctx).Where("run_id = ?", runID).Order("number").Find(&steps).Error; err != nil {
		return nil, nil, fmt.Errorf("read the steps of run %s: %w", runID, err)
	}
	var calls []*models.ToolCall
	if err := s.read(ctx).Where("run_id = ?", runID).Order("step_number, call_index").Find(&calls).Error; err != nil {
		return nil, nil, fmt.Errorf("read the tool calls of run %s: %w", runID, err)
	}
	return steps, calls, nil
}

// StepsOfRuns reads the same of several runs at once, for building the context
// of a conversation's earlier turns.
func (s *Store) StepsOfRuns(ctx context.Context, runIDs []string) ([]*models.Step, []*models.ToolCall, error) {
	if len(runIDs) == 0 {
		return nil, nil, nil
	}
	var steps []*models.Step
	if err := s.read(ctx).Where("run_id IN ?", runIDs).Order("run_id, number").Find(&steps).Error; err != nil {
		return nil, nil, fmt.Errorf("read the steps of %d runs: %w", len(runIDs), err)
	}
	var calls []*models.ToolCall
	if err := s.read(ctx).Where("run_id IN ?",
		runIDs).Order("run_id, step_number, call_index").Find(&calls).Error; err != nil {
		return nil, nil, fmt.Errorf("read the tool calls of %d runs: %w", len(runIDs), err)
	}
	return steps, calls, nil
}

// ActiveRunsOfUser reads the root runs that a user may reach and that have not ended, oldest
// first.
func (s *Store) ActiveRunsOfUser(ctx context.Context, userID string) ([]*models.Run, error) {
	var runs []*models.Run
	err := inConversations(s.read(ctx), userID).Where("parent_run_id = '' AND status IN ?",
		[]string{models.RunQueued, models.RunRunning, models.RunWaitingApproval}).Order("id").Find(&runs).Error
	if err != nil {
		return nil, fmt.Errorf("read the active runs of user %s: %w", userID, err)
	}
	return runs, nil
}
