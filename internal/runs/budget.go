package runs

import (
	"context"
	"fmt"
	"time"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/models"
)

// Budget limits what model calls may use; 0 is no limit. Cost is in the currency
// of the configured prices. A day is a UTC day.
type Budget struct {
	RunTokens  int
	RunCost    float64
	UserTokens int // a day
	UserCost   float64
	DayTokens  int // a day, all users together
	DayCost    float64
}

// budget is asked before every model call of a tree; root counts for all of it.
func (s *Service) budget(root *models.Run) func(context.Context) error {
	return func(ctx context.Context) error {
		limits := s.Settings().Budget
		quota, err := s.quotaOf(ctx, root.Actor())
		if err != nil {
			return err
		}
		limits.UserTokens = least(quota.TokensPerDay, limits.UserTokens)
		limits.UserCost = least(quota.CostPerDay, limits.UserCost)
		if limits == (Budget{}) {
			return nil
		}
		day := time.Now().UTC().Format(time.DateOnly)
		for _, check := range []struct {
			what   string
			tokens int
			cost   float64
			used   func() (int, float64, error)
		}{
			{"this run", limits.RunTokens, limits.RunCost, func() (int, float64, error) {
				return s.Store.TreeUsage(ctx,
					root.ID)
			}},
			{"one user today", limits.UserTokens, limits.UserCost, func() (int, float64,
				error) {
				return s.Store.DayUsage(ctx, root.Actor(), day)
			}},
			{"all users today", limits.DayTokens, limits.DayCost, func() (int, float64,
				error) {
				return s.Store.DayUsage(ctx, "", day)
			}},
		} {
			if check.tokens <= 0 && check.cost <= 0 {
				continue
			}
			tokens, cost, err := check.used()
			if err != nil {
				return err
			}
			if check.tokens > 0 && tokens >= check.tokens {
				return &agent.Error{Code: agent.CodeBudget, Message: fmt.Sprintf(
					"the token budget for %s is used up: %d of %d (budgets in config.yml)", check.what, tokens,
					check.tokens)}
			}
			if check.cost > 0 && cost >= check.cost {
				return &agent.Error{Code: agent.CodeBudget, Message: fmt.Sprintf(
					"the cost budget for %s is used up: %.4f of %.4f (budgets in config.yml)", check.what, cost,
					check.cost)}
			}
		}
		return nil
	}
}
