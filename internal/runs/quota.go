package runs

import (
	"context"
	"fmt"
	"time"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// Used is how much of a quota is used; Limit 0 is none.
type Used[N int | int64 | float64] struct {
	Used  N `json:"used"`
	Limit N `json:"limit" doc:"0: no limit."`
}

// Standing is what a user may use, and how much of it is used.
type Standing struct {
	Tokens  Used[int]     `json:"tokens_today"`
	Cost    Used[float64] `json:"cost_today"`
	Runs    Used[int]     `json:"concurrent_runs"`
	Storage Used[int64]   `json:"storage"`
	Models  []string      `json:"models" doc:"Those that may be used; empty: all."`
	Agents  []string      `json:"agents" doc:"Those that may be used; empty: all."`
}

// quotaOf is the quota of a user.
func (s *Service) quotaOf(ctx context.Context, userID string) (models.Quota, error) {
	if s.Quota == nil {
		return models.Quota{}, nil
	}
	return s.Quota(ctx, userID)
}

// StandingOf is what a user may use today, budgets included, and has used.
func (s *Service) StandingOf(ctx context.Context, userID string) (*Standing, error) {
	quota, err := s.quotaOf(ctx, userID)
	if err != nil {
		return nil, err
	}
	budget := s.Settings().Budget
	standing := &Standing{Models: append([]string{}, quota.Models...), Agents: append([]string{}, quota.Agents...)}
	standing.Tokens.Limit = least(quota.TokensPerDay, budget.UserTokens)
	standing.Cost.Limit = least(quota.CostPerDay, budget.UserCost)
	standing.Runs.Limit, standing.Storage.Limit = quota.ConcurrentRuns, quota.Storage
	standing.Tokens.Used, standing.Cost.Used, err = s.Store.DayUsage(ctx, userID, time.Now().UTC().Format(time.DateOnly))
	if err != nil {
		return nil, err
	}
	if standing.Runs.Used, err = s.Store.RunsAtWork(ctx, userID); err != nil {
		return nil, err
	}
	standing.Storage.Used, err = s.Store.UserStorage(ctx, userID)
	return standing, err
}

// least is the smaller limit of two; 0 is none.
func least[N int | float64](a, b N) N {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// mayStart refuses a run that its user's quota does not allow, and returns how many runs the
// user may have at work.
func (s *Service) mayStart(ctx context.Context, userID, modelID, agentID string) (most int, err error) {
	quota, err := s.quotaOf(ctx, userID)
	if err != nil {
		return 0, err
	}
	if err := allowed(quota, modelID, agentID); err != nil {
		return 0, err
	}
	if quota.TokensPerDay == 0 && quota.CostPerDay == 0 {
		return quota.ConcurrentRuns, nil
	}
	tokens, cost, err := s.Store.DayUsage(ctx, userID, time.Now().UTC().Format(time.DateOnly))
	switch {
	case err != nil:
		return 0, err
	case quota.TokensPerDay > 0 && tokens >= quota.TokensPerDay:
		err = quotaReached("you have used %d of your %d tokens today", tokens, quota.TokensPerDay)
	case quota.CostPerDay > 0 && cost >= quota.CostPerDay:
		err = quotaReached("you have used %.4f of your %.4f cost today", cost, quota.CostPerDay)
	}
	return quota.ConcurrentRuns, err
}

func quotaReached(format string, args ...any) error {
	return &store.Error{Code: store.CodeQuota,
		Message: fmt.Sprintf(format, args...) + ": go on tomorrow (UTC), or ask an administrator"}
}

func allowed(quota models.Quota, modelID, agentID string) error {
	agentID = firstOf(agentID, DefaultAgent)
	switch {
	case !models.Allows(quota.Models, modelID):
		return &InvalidError{Field: "model", Code: "model_not_allowed",
			Message: fmt.Sprintf("you may not use the model %q: choose another one, or ask an administrator", modelID)}
	case !models.Allows(quota.Agents, agentID):
		return &InvalidError{Field: "agent", Code: "agent_not_allowed",
			Message: fmt.Sprintf("you may not use the agent %q: choose another one, or ask an administrator", agentID)}
	}
	return nil
}

// mayUse refuses a model or an agent to a run under way, for whatever reason it has them.
func (s *Service) mayUse(ctx context.Context, run *models.Run, modelID string) error {
	quota, err := s.quotaOf(ctx, run.Actor())
	if err != nil {
		return err
	}
	if err := allowed(quota, modelID, run.Agent); err != nil {
		return &agent.Error{Code: agent.CodeBudget, Message: err.Error()}
	}
	return nil
}
