package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// StepFinished is the checkpoint after a model turn: the step, its tool calls as
// pending, what it cost, and the events. Writing the same step again changes nothing.
func (s *Store) StepFinished(ctx context.Context, f Fence, step *models.Step, calls []*models.ToolCall,
	usage *models.TokenUsage, out []*models.Outbox) error {
	return s.fenced(ctx, f, "step", func(tx *gorm.DB) error {
		if err := tx.Create(step).Error; err != nil {
			return fmt.Errorf("store step %d of run %s: %w", step.Number, step.RunID, err)
		}
		if len(calls) > 0 {
			if err := tx.Create(calls).Error; err != nil {
				return fmt.Errorf("store the tool calls of step %d of run %s: %w", step.Number, step.RunID, err)
			}
		}
		if usage != nil {
			if err := tx.Create(usage).Error; err != nil {
				return fmt.Errorf("store the usage of step %d of run %s: %w", step.Number, step.RunID, err)
			}
		}
		if err := addUsage(tx, step.RunID, step.PromptTokens, step.CompletionTokens, step.TotalTokens, step.Cost,
			step.Estimated); err != nil {
			return err
		}
		return s.progress(tx, f, out)
	})
}

// AddUsage counts a model call that belongs to no step: a tool's own.
func (s *Store) AddUsage(ctx context.Context, f Fence, used *models.TokenUsage, out []*models.Outbox) error {
	return s.fenced(ctx, f, "usage", func(tx *gorm.DB) error {
		if err := tx.Create(used).Error; err != nil {
			return fmt.Errorf("store the usage of a tool of run %s: %w", used.RunID, err)
		}
		if err := addUsage(tx, used.RunID, used.PromptTokens, used.CompletionTokens, used.TotalTokens, used.Cost,
			used.Estimated); err != nil {
			return err
		}
		return s.progress(tx, f, out)
	})
}

func addUsage(tx *gorm.DB, runID string, prompt, completion, total int, cost float64, estimated bool) error {
	changes := map[string]any{
		"prompt_tokens":     gorm.Expr("prompt_tokens + ?", prompt),
		"completion_tokens": gorm.Expr("completion_tokens + ?", completion),
		"total_tokens":      gorm.Expr("total_tokens + ?", total),
		"cost":              gorm.Expr("cost + ?", cost),
	}
	if estimated {
		changes["estimated"] = true
	}
	if err := tx.Model(&models.Run{}).Where("id = ?", runID).Updates(changes).Error; err != nil {
		return fmt.Errorf("add the usage of run %s: %w", runID, err)
	}
	return nil
}

// CallStarted notes that a call is about to have its effect.
func (s *Store) CallStarted(ctx context.Context, f Fence, callID string) error {
	return s.fenced(ctx, f, "call_started", func(tx *gorm.DB) error {
		err := tx.Model(&models.ToolCall{}).Where("id = ? AND state <> ?", callID, models.CallFinished).
			Updates(map[string]any{"state": models.CallStarted, "started_at": models.Now()}).Error
		if err != nil {
			return fmt.Errorf("note the start of tool call %s: %w", callID, err)
		}
		return nil
	})
}

// CallFinished is the checkpoint after a tool call: its record and the events.
// Only the fields of the record, Effect and the times count of call.
func (s *Store) CallFinished(ctx context.Context, f Fence, call *models.ToolCall, out []*models.Outbox) error {
	return s.fenced(ctx, f, "call_finished", func(tx *gorm.DB) error {
		call.State = models.CallFinished
		call.FinishedAt = models.Now()
		result := tx.Model(&models.ToolCall{}).Where("id = ? AND state <> ?", call.ID, models.CallFinished).
			Select("state", "finished_at", "result", "success", "skipped", "cached", "duplicate_of", "execution_time",
				"images").
			Updates(call)
		if result.Error != nil {
			return fmt.Errorf("store the result of tool call %s: %w", call.ID, result.Error)
		}
		if result.RowsAffected == 0 {
			return nil // finished before: its first result and event stand
		}
		return s.progress(tx, f, out)
	})
}

// progress ends every checkpoint: the run has moved on since it was claimed.
func (s *Store) progress(tx *gorm.DB, f Fence, out []*models.Outbox) error {
	err := tx.Model(&models.Run{}).Where("id = ? AND stale_attempts <> 0", f.RootRunID).Update("stale_attempts",
		0).Error
	if err != nil {
		return fmt.Errorf("note the progress of run %s: %w", f.RootRunID, err)
	}
	return addOutbox(tx, out)
}
