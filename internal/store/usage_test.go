package store

import (
	"slices"
	"testing"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// CH7
func TestUsageIsSummedUpByPeriodAndGroup(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		must(t, s.tx(ctx, func(tx *gorm.DB) error {
			for _, u := range []models.TokenUsage{
				{Day: "2026-02-28", Model: "a", ProjectID: "p", UserID: "u", ConversationID: "c", TotalTokens: 1,
					PromptTokens: 1},
				// a Sunday
				{Day: "2026-03-01", Model: "a", ProjectID: "p", UserID: "u", ConversationID: "c", TotalTokens: 10,
					CompletionTokens: 10, Cost: 0.5},
				{Day: "2026-03-02", Model: "b", UserID: "u", ConversationID: "d", TotalTokens: 100, CachedTokens: 7,
					Estimated: true},
				{Day: "2026-03-02", Model: "a", UserID: "u", ConversationID: "d", TotalTokens: 1000, Cost: 0.25},
				{Day: "2026-03-02", Model: "a", UserID: "v", ConversationID: "e", TotalTokens: 5},
			} {
				u.ID, u.StepID = NewID(), NewID()
				must(t, tx.Create(&u).Error)
			}
			return nil
		}))
		type line struct {
			period, group string
			turns, total  int64
		}
		for _, test := range []struct {
			query UsageQuery
			want  []line
		}{
			{UsageQuery{UserID: "u", Period: Daily}, []line{{"2026-02-28", "", 1, 1}, {"2026-03-01", "", 1, 10},
				{"2026-03-02", "", 2, 1100}}},
			{UsageQuery{UserID: "u", Period: Weekly}, []line{{"2026-02-23", "", 2, 11}, {"2026-03-02", "", 2, 1100}}},
			{UsageQuery{UserID: "u", Period: Monthly}, []line{{"2026-02-01", "", 1, 1}, {"2026-03-01", "", 3, 1110}}},
			{UsageQuery{UserID: "u", Period: Monthly, GroupBy: ByModel}, []line{{"2026-02-01", "a", 1, 1},
				{"2026-03-01", "a", 2, 1010}, {"2026-03-01", "b", 1, 100}}},
			{UsageQuery{UserID: "u", Period: Monthly, GroupBy: ByProject}, []line{{"2026-02-01", "p", 1, 1},
				{"2026-03-01", "", 2, 1100}, {"2026-03-01", "p", 1, 10}}},
			{UsageQuery{Period: Monthly, Model: "a", Since: "2026-03-01"}, []line{{"2026-03-01", "", 3, 1015}}},
			{UsageQuery{Period: Daily, Until: "2026-02-28"}, []line{{"2026-02-28", "", 1, 1}}},
			{UsageQuery{Period: Daily, ProjectID: "p", ConversationID: "c", Since: "2026-03-01"},
				[]line{{"2026-03-01", "", 1, 10}}},
			{UsageQuery{Period: Daily, UserID: "nobody"}, nil},
		} {
			rows, err := s.UsageReport(ctx, test.query)
			must(t, err)
			var got []line
			for _, row := range rows {
				got = append(got, line{row.Period, row.Group, row.Turns, row.TotalTokens})
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%+v gave\n%v, want\n%v", test.query, got, test.want)
			}
		}
		_, err := s.UsageReport(ctx, UsageQuery{Period: "hourly"})
		wantCode(t, err, CodeInvalidArgument)
		_, err = s.UsageReport(ctx, UsageQuery{Period: Daily, GroupBy: "moon"})
		wantCode(t, err, CodeInvalidArgument)

		for id, want := range map[string]Usage{
			"c": {Turns: 2, PromptTokens: 1, CompletionTokens: 10, TotalTokens: 11, Cost: 0.5},
			"d": {Turns: 2, TotalTokens: 1100, CachedTokens: 7, Cost: 0.25, Estimated: true},
			"e": {}, // another user's
			"x": {},
		} {
			got, err := s.ConversationUsage(ctx, "u", id)
			must(t, err)
			if got != want {
				t.Errorf("conversation %s used %+v, want %+v", id, got, want)
			}
		}
	})
}
