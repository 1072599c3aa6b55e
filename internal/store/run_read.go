package store

import (
	"cmp"
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

// RunQuery selects root runs that a user may reach.
type RunQuery struct {
	ConversationID string      // empty: any
	Statuses       []string    // nil: any
	ChangedSince   models.Time // of the status; 0: any
	Page
}

// statusSince is when a run got its status.
const statusSince = "(CASE WHEN finished_at > 0 THEN finished_at WHEN started_at > 0 THEN started_at " +
	"ELSE created_at END)"

// RootRuns lists root runs, that of the newest status first, and says how many there are on
// all pages.
func (s *Store) RootRuns(ctx context.Context, userID string, query RunQuery) (List[models.Run], int64, error) {
	var none List[models.Run]
	limit, err := query.limit()
	if err != nil {
		return none, 0, err
	}
	after, err := query.byTime()
	if err != nil {
		return none, 0, err
	}
	db := inConversations(s.read(ctx).Model(&models.Run{}), userID).Where("parent_run_id = ''")
	if query.ConversationID != "" {
		db = db.Where("conversation_id = ?", query.ConversationID)
	}
	if query.Statuses != nil {
		db = db.Where("status IN ?", query.Statuses)
	}
	if query.ChangedSince > 0 {
		db = db.Where(statusSince+" >= ?", query.ChangedSince)
	}
	db = db.Session(&gorm.Session{})
	var total int64
	if err := db.Count(&total).Error; err != nil {
		return none, 0, fmt.Errorf("count runs: %w", err)
	}
	if after != nil {
		db = db.Where("("+statusSince+" < ? OR "+statusSince+" = ? AND id < ?)", after.At, after.At, after.ID)
	}
	var found []models.Run
	if err := db.Order(statusSince + " DESC, id DESC").Limit(limit + 1).Find(&found).Error; err != nil {
		return none, 0, fmt.Errorf("list runs: %w", err)
	}
	return cutPage(found, limit, func(r models.Run) position {
		return position{At: int64(cmp.Or(r.FinishedAt, r.StartedAt, r.CreatedAt)), ID: r.ID}
	}), total, nil
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
