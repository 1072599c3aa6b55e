package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// TreeUsage is what a root run and its sub-agents have used so far.
func (s *Store) TreeUsage(ctx context.Context, rootRunID string) (tokens int, cost float64, err error) {
	return sumUsage(s.read(ctx).Where("root_run_id = ?", rootRunID))
}

// DayUsage is what a user, or everybody for the empty user, used on a day (YYYY-MM-DD, UTC).
func (s *Store) DayUsage(ctx context.Context, userID, day string) (tokens int, cost float64, err error) {
	query := s.read(ctx).Where("day = ?", day)
	if userID != "" {
		query = query.Where("user_id = ?", userID)
	}
	return sumUsage(query)
}

func sumUsage(query *gorm.DB) (int, float64, error) {
	var sum struct {
		Tokens int
		Cost   float64
	}
	err := query.Model(&models.TokenUsage{}).
		Select("COALESCE(SUM(total_tokens), 0) AS tokens, COALESCE(SUM(cost), 0) AS cost").Scan(&sum).Error
	if err != nil {
		return 0, 0, fmt.Errorf("sum up the token usage: %w", err)
	}
	return sum.Tokens, sum.Cost, nil
}
