package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// AskClient notes that a call waits for the client's result. made is false where it did
// already; then found is the call as it is.
func (tx *Tx) AskClient(call *models.ClientCall) (found *models.ClientCall, made bool, err error) {
	result := tx.db.Clauses(clause.OnConflict{DoNothing: true}).Create(call)
	if result.Error != nil {
		return nil, false, fmt.Errorf("store the client call %s: %w", call.CallID, result.Error)
	}
	if result.RowsAffected == 1 {
		return call, true, tx.progress()
	}
	var stored models.ClientCall
	if err := tx.db.Take(&stored, "call_id = ?", call.CallID).Error; err != nil {
		return nil, false, fmt.Errorf("read the client call %s: %w", call.CallID, err)
	}
	return &stored, false, nil
}

// AnswerClientCall stores the result of a call that waits, and returns false where it
// does not wait any more, or is none of the user's.
func (tx *Tx) AnswerClientCall(userID, callID, result string) (bool, error) {
	done := tx.db.Model(&models.ClientCall{}).
		Where("call_id = ? AND user_id = ? AND answered_at = 0", callID, userID).
		Updates(map[string]any{"result": result, "answered_at": models.Now()})
	if done.Error != nil {
		return false, fmt.Errorf("store the result of the client call %s: %w", callID, done.Error)
	}
	return done.RowsAffected == 1, nil
}

// Wake queues a root run again that waits; queued is false where somebody works on it.
// A work message for a queued one must be sent.
func (tx *Tx) Wake(rootRunID string) (run *models.Run, queued bool, err error) {
	return wake(tx.db, rootRunID)
}

// WaitingClientCalls are the calls of a root run that wait for the client, in call order.
func (s *Store) WaitingClientCalls(ctx context.Context, userID, rootRunID string) ([]*models.ToolCall, error) {
	var calls []*models.ToolCall
	err := s.read(ctx).Model(&models.ToolCall{}).
		Joins("JOIN client_calls c ON c.call_id = tool_calls.id").
		Where("c.root_run_id = ? AND c.user_id = ? AND c.answered_at = 0 AND tool_calls.state <> ?", rootRunID, userID,
			models.CallFinished).
		Order("tool_calls.step_number, tool_calls.call_index").Find(&calls).Error
	if err != nil {
		return nil, fmt.Errorf("read the calls of run %s that wait for the client: %w", rootRunID, err)
	}
	return calls, nil
}

// ClientCall reads a call of the user, or not_found.
func (s *Store) ClientCall(ctx context.Context, userID, callID string) (*models.ClientCall, error) {
	var call models.ClientCall
	if err := s.read(ctx).Take(&call, "call_id = ? AND user_id = ?", callID, userID).Error; err != nil {
		return nil, found(err, "tool call", callID)
	}
	return &call, nil
}

// OverdueClientCalls are the calls that have waited too long, of runs that have not ended.
func (s *Store) OverdueClientCalls(ctx context.Context) ([]*models.ClientCall, error) {
	var calls []*models.ClientCall
	err := s.read(ctx).Where("answered_at = 0 AND expires_at <> 0 AND expires_at <= ?", models.Now()).
		Where("root_run_id IN (?)", s.read(ctx).Model(&models.Run{}).Select("id").
			Where("status IN ? AND cancel_requested_at = 0", []string{models.RunQueued, models.RunRunning,
				models.RunWaitingApproval})).
		Order("expires_at").Limit(MaxLimit).Find(&calls).Error
	if err != nil {
		return nil, fmt.Errorf("look for client calls whose time is over: %w", err)
	}
	return calls, nil
}

// unseenClientResults says whether a result is there of a call that is not finished: it
// came after the call was entered.
func (tx *Tx) unseenClientResults() (bool, error) {
	var unseen int64
	err := tx.db.Model(&models.ClientCall{}).Where("root_run_id = ? AND answered_at <> 0", tx.fence.RootRunID).
		Where("call_id IN (?)", tx.db.Model(&models.ToolCall{}).Select("id").
			Where("root_run_id = ? AND state <> ?", tx.fence.RootRunID, models.CallFinished)).
		Count(&unseen).Error
	if err != nil {
		return false, fmt.Errorf("look for results of client calls of run %s: %w", tx.fence.RootRunID, err)
	}
	return unseen > 0, nil
}

// PurgeHidden deletes the hidden conversations that nothing happened in since olderThan
// and that no run is active in, and returns how many. Those of background tasks stay as
// long as the conversation that submitted them.
func (s *Store) PurgeHidden(ctx context.Context, olderThan models.Time) (int64, error) {
	return s.purge(ctx, "hidden conversations", func(tx *gorm.DB) (int64, error) {
		var ids []string
		err := tx.Model(&models.Conversation{}).Where("hidden AND task_of = '' AND updated_at < ?", olderThan).
			Where("NOT EXISTS (SELECT 1 FROM runs WHERE runs.active_key = conversations.id)").
			Limit(purgeBatch).Pluck("id", &ids).Error
		if err != nil || len(ids) == 0 {
			return 0, err
		}
		return int64(len(ids)), s.deleteConversations(tx, "id IN ?", ids)
	})
}
