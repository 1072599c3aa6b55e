package api

import (
	"context"
	"net/http"
	"time"

	"nanoclaw/internal/store"
)

// UsageRow is what one period, and one model or project in it, used up.
type UsageRow struct {
	Period           string  `json:"period" format:"date" doc:"Its first day in UTC; a week begins on Monday."`
	Key              string  `json:"key" doc:"The model, the project's id (empty: outside of projects), or the user's id."`
	Turns            int64   `json:"turns" doc:"Model turns."`
	PromptTokens     int64   `json:"prompt_tokens"`
	CompletionTokens int64   `json:"completion_tokens"`
	TotalTokens      int64   `json:"total_tokens"`
	CachedTokens     int64   `json:"cached_tokens"`
	Cost             float64 `json:"cost" doc:"By the prices in config.yml; 0 where there are none."`
	Estimated        bool    `json:"estimated" doc:"At least one turn's figures are an estimate."`
}

type usageInput struct {
	Period       string `query:"period" enum:"daily,weekly,monthly" default:"daily"`
	GroupBy      string `query:"group_by" enum:"model,project,user" doc:"Left out: one row a period. user: everybody's usage, for administrators."`
	Conversation string `query:"conversation" doc:"Only of this conversation."`
	Project      string `query:"project" doc:"Only of this project."`
	Model        string `query:"model" doc:"Only of this model."`
	Since        string `query:"since" format:"date" doc:"First day, in UTC."`
	Until        string `query:"until" format:"date" doc:"Last day, in UTC."`
}

func (s *server) registerUsage() {
	handle(s, op("GET", "/usage", "report-usage", "Usage", "Tokens and cost by period"), s.reportUsage)
}

func (s *server) reportUsage(ctx context.Context, in *usageInput) (*listOutput[UsageRow], error) {
	for name, day := range map[string]string{"since": in.Since, "until": in.Until} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return nil, invalidField("query."+name, quoted(day)+" is not a day, such as 2026-11-20")
		}
	}
	user := currentUser(ctx)
	if in.GroupBy == store.ByUser {
		if user = s.ownerFilter(ctx); user != "" {
			return nil, newProblem(http.StatusForbidden, codeForbidden, "usage by user is for administrators")
		}
	}
	rows, err := s.Store.UsageReport(ctx, store.UsageQuery{
		UserID: user, ConversationID: in.Conversation, ProjectID: in.Project, Model: in.Model,
		Since: in.Since, Until: in.Until, Period: in.Period, GroupBy: in.GroupBy,
	})
	if err != nil {
		return nil, err
	}
	list := make([]UsageRow, len(rows))
	for i, row := range rows {
		list[i] = UsageRow{
			Period: row.Period, Key: row.Group, Turns: row.Turns, PromptTokens: row.PromptTokens,
			CompletionTokens: row.CompletionTokens,
			TotalTokens:      row.TotalTokens, CachedTokens: row.CachedTokens, Cost: row.Cost, Estimated: row.Estimated,
		}
	}
	return &listOutput[UsageRow]{wholeList(list)}, nil
}
