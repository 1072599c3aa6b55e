package store

import (
	"context"
	"fmt"
	"slices"

	"nanoclaw/internal/models"
)

// SessionRuns reads the runs of a session between agents, oldest first. It looks
// through all sub-agents of the conversation: there are few of them.
func (s *Store) SessionRuns(ctx context.Context, conversationID, sessionID string) ([]*models.Run, error) {
	var runs []*models.Run
	err := s.read(ctx).Where("conversation_id = ? AND parent_run_id <> ''",
		conversationID).Order("id").Find(&runs).Error
	if err != nil {
		return nil, fmt.Errorf("read the runs of session %s: %w", sessionID, err)
	}
	return slices.DeleteFunc(runs, func(run *models.Run) bool { return run.Settings.Session != sessionID }), nil
}
