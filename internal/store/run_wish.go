package store

import (
	"context"
	"fmt"

	"nanoclaw/internal/models"
)

// Wishes are what people want of runs at work, and told another process.
type Wishes struct {
	Cancelled []*models.Run      // were told to stop, and have not ended
	Decided   []*models.Approval // of calls that still wait, as far as the database knows
}

// Wishes reads what people want of root runs and their sub-agents.
func (s *Store) Wishes(ctx context.Context, rootRunIDs []string) (Wishes, error) {
	var wishes Wishes
	if len(rootRunIDs) == 0 {
		return wishes, nil
	}
	err := s.read(ctx).Select("id", "root_run_id").
		Where("root_run_id IN ? AND cancel_requested_at <> 0 AND status IN ?", rootRunIDs,
			[]string{models.RunQueued, models.RunRunning, models.RunWaitingApproval}).Find(&wishes.Cancelled).Error
	if err != nil {
		return wishes, fmt.Errorf("look for runs that were told to stop: %w", err)
	}
	waiting := s.read(ctx).Model(&models.ToolCall{}).Select("id").Where("root_run_id IN ? AND state = ?", rootRunIDs,
		models.CallSuspended)
	err = s.read(ctx).Where("root_run_id IN ? AND status IN ?", rootRunIDs, decidedStatuses).
		Where("(live = ? OR call_id IN (?))", true, waiting).Find(&wishes.Decided).Error
	if err != nil {
		return wishes, fmt.Errorf("look for decisions: %w", err)
	}
	return wishes, nil
}
