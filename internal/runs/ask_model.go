package runs

import (
	"context"
	"time"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// AskModel has the model of the run that made a call answer a request of the call's
// own. What it uses counts as the run's, and its budget is asked before.
func (s *Service) AskModel(ctx context.Context, call tools.Call, request llm.Request) (*llm.Response, llm.Info, error) {
	t := s.tree(call.RootRunID)
	if t == nil {
		return nil, llm.Info{}, agent.ErrLost
	}
	model, err := s.Models.Get(call.Settings.Model)
	if err != nil {
		return nil, llm.Info{}, err
	}
	if err := s.mayUse(ctx, t.root, model.Info().ID); err != nil {
		return nil, llm.Info{}, err
	}
	if err := s.budget(t.root)(ctx); err != nil {
		return nil, llm.Info{}, err
	}
	info := model.Info()
	for event, err := range model.Stream(ctx, request) {
		if err != nil {
			return nil, info, err
		}
		if event.Kind == llm.EventDone {
			return event.Response, info, s.countUsage(ctx, t, call, info.ID, event.Response.Usage)
		}
	}
	return nil, info, &llm.Error{Code: llm.CodeProtocol, Model: info.ID, Message: "stream ended without a finish event"}
}

// countUsage adds a model call that belongs to no step to what a run has used.
func (s *Service) countUsage(ctx context.Context, t *tree, call tools.Call, modelID string, tokens llm.Usage) error {
	run := t.run(call.RunID)
	if run == nil {
		return agent.ErrLost
	}
	row := s.usageRow(run, modelID, tokens)
	used := Usage{PromptTokens: row.PromptTokens, CompletionTokens: row.CompletionTokens, TotalTokens: row.TotalTokens,
		Cost: row.Cost, Estimated: row.Estimated}
	err := t.commit(ctx, "usage", func(tx *store.Tx) error {
		tx.Send(eventRow(EventUsage, run, usagePayload{Usage: used, Model: modelID}))
		return tx.AddUsage(row)
	})
	if err != nil {
		return lost(err)
	}
	t.addUsage(run, used)
	return nil
}

// usageRow is what a model call that belongs to no step of a run has used.
func (s *Service) usageRow(run *models.Run, modelID string, tokens llm.Usage) *models.TokenUsage {
	at := now()
	row := &models.TokenUsage{
		ID: store.NewID(), UserID: run.Actor(), ConversationID: run.ConversationID, ProjectID: run.ProjectID,
		RunID: run.ID, RootRunID: run.RootRunID, Model: modelID, Day: at.Std().Format(time.DateOnly),
		PromptTokens: tokens.PromptTokens, CompletionTokens: tokens.CompletionTokens, TotalTokens: tokens.TotalTokens,
		CachedTokens: tokens.CachedTokens, Cost: s.Cost(modelID, tokens), Estimated: tokens.Estimated, CreatedAt: at,
	}
	row.StepID = row.ID // it has none, and the column is unique
	return row
}
