package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"nanoclaw/internal/models"
)

// Periods and groups of a UsageQuery.
const (
	Daily   = "daily"
	Weekly  = "weekly" // from Monday
	Monthly = "monthly"

	ByModel   = "model"
	ByProject = "project"
	ByUser    = "user"
)

// UsageQuery selects token usage; an empty field selects all. Since and Until are
// days, YYYY-MM-DD in UTC, both inclusive. Period is needed. GroupBy empty: one
// row a period.
type UsageQuery struct {
	UserID         string
	ConversationID string
	ProjectID      string
	Model          string
	Since, Until   string
	Period         string
	GroupBy        string
}

// Usage is a sum of token usage.
type Usage struct {
	Turns            int64 // model turns
	PromptTokens     int64
	CompletionTokens int64
	TotalTokens      int64
	CachedTokens     int64
	Cost             float64
	Estimated        bool // at least one turn's figures are an estimate
}

// UsageRow is the usage of one period, and of one model, project or user.
type UsageRow struct {
	Period string // its first day, YYYY-MM-DD
	Group  string // the model or the project's id; empty project: outside of projects
	Usage
}

const usageSums = `COUNT(*) AS turns,
	COALESCE(SUM(prompt_tokens), 0) AS prompt_tokens,
	COALESCE(SUM(completion_tokens), 0) AS completion_tokens,
	COALESCE(SUM(total_tokens), 0) AS total_tokens,
	COALESCE(SUM(cached_tokens), 0) AS cached_tokens,
	COALESCE(SUM(cost), 0) AS cost,
	COALESCE(MAX(CASE WHEN estimated THEN 1 ELSE 0 END), 0) = 1 AS estimated`

// UsageReport sums token usage up by period and group: periods in order, the
// greatest group first.
func (s *Store) UsageReport(ctx context.Context, query UsageQuery) ([]UsageRow, error) {
	start, err := periodStart(query.Period)
	if err != nil {
		return nil, err
	}
	group := ""
	switch query.GroupBy {
	case "":
	case ByModel:
		group = "model"
	case ByProject:
		group = "project_id"
	case ByUser:
		group = "user_id"
	default:
		return nil, invalid("group_by is %q, but must be %s, %s, %s or empty", query.GroupBy, ByModel,
			ByProject, ByUser)
	}
	days, err := s.usageByDay(ctx, query, group)
	if err != nil {
		return nil, err
	}
	return sumPeriods(days, start)
}

// usageByDay sums up by day and a column, where one is given.
func (s *Store) usageByDay(ctx context.Context, query UsageQuery, group string) ([]usageDay, error) {
	db := s.read(ctx).Model(&models.TokenUsage{})
	for _, filter := range []struct{ condition, value string }{
		{"user_id = ?", query.UserID},
		{"conversation_id = ?", query.ConversationID},
		{"project_id = ?", query.ProjectID},
		{"model = ?", query.Model},
		{"day >= ?", query.Since},
		{"day <= ?", query.Until},
	} {
		if filter.value != "" {
			db = db.Where(filter.condition, filter.value)
		}
	}
	columns := "day"
	if group != "" {
		columns += ", " + group
	}
	var days []usageDay
	if err := db.Select(columns + ", " + usageSums).Group(columns).Scan(&days).Error; err != nil {
		return nil, fmt.Errorf("sum up the token usage: %w", err)
	}
	return days, nil
}

type usageDay struct {
	Day       string
	Model     string
	ProjectID string
	UserID    string
	Usage
}

func sumPeriods(days []usageDay, start func(time.Time) time.Time) ([]UsageRow, error) {
	type key struct{ period, group string }
	sums := map[key]Usage{}
	for _, day := range days {
		at, err := time.Parse(time.DateOnly, day.Day)
		if err != nil {
			return nil, fmt.Errorf("read the day of token usage: %w", err)
		}
		k := key{start(at).Format(time.DateOnly), day.Model + day.ProjectID + day.UserID}
		sums[k] = sums[k].add(day.Usage)
	}
	rows := make([]UsageRow, 0, len(sums))
	for k, sum := range sums {
		rows = append(rows, UsageRow{Period: k.period, Group: k.group, Usage: sum})
	}
	slices.SortFunc(rows, func(a, b UsageRow) int {
		return cmp.Or(cmp.Compare(a.Period, b.Period), cmp.Compare(b.TotalTokens, a.TotalTokens), cmp.Compare(a.Group,
			b.Group))
	})
	return rows, nil
}

func (u Usage) add(more Usage) Usage {
	u.Turns += more.Turns
	u.PromptTokens += more.PromptTokens
	u.CompletionTokens += more.CompletionTokens
	u.TotalTokens += more.TotalTokens
	u.CachedTokens += more.CachedTokens
	u.Cost += more.Cost
	u.Estimated = u.Estimated || more.Estimated
	return u
}

// periodStart returns the function from a day to the first day of its period.
func periodStart(period string) (func(time.Time) time.Time, error) {
	switch period {
	case Daily:
		return func(day time.Time) time.Time { return day }, nil
	case Weekly:
		return func(day time.Time) time.Time { return day.AddDate(0, 0, -(int(day.Weekday())+6)%7) }, nil
	case Monthly:
		return func(day time.Time) time.Time { return day.AddDate(0, 0, 1-day.Day()) }, nil
	}
	return nil, invalid("period is %q, but must be %s, %s or %s", period, Daily, Weekly, Monthly)
}

// ConversationUsage is what the conversation used up so far, sub-agents included.
func (s *Store) ConversationUsage(ctx context.Context, userID, conversationID string) (Usage, error) {
	var sum Usage
	err := s.read(ctx).Model(&models.TokenUsage{}).Select(usageSums).
		Where("conversation_id = ? AND user_id = ?", conversationID, userID).Scan(&sum).Error
	if err != nil {
		return Usage{}, fmt.Errorf("sum up the token usage of conversation %s: %w", conversationID, err)
	}
	return sum, nil
}
