package store

import (
	"fmt"

	"nanoclaw/internal/models"
)

// AddStep is the checkpoint after a model turn: the step, its tool calls as pending,
// and what it cost.
func (tx *Tx) AddStep(step *models.Step, calls []*models.ToolCall, usage *models.TokenUsage) error {
	if err := tx.db.Create(step).Error; err != nil {
		return fmt.Errorf("store step %d of run %s: %w", step.Number, step.RunID, err)
	}
	if len(calls) > 0 {
		if err := tx.db.Create(calls).Error; err != nil {
			return fmt.Errorf("store the tool calls of step %d of run %s: %w", step.Number, step.RunID, err)
		}
	}
	return tx.AddUsage(usage)
}

// AddUsage counts a model call: of a step, or of a tool.
func (tx *Tx) AddUsage(used *models.TokenUsage) error {
	if err := tx.db.Create(used).Error; err != nil {
		return fmt.Errorf("store a usage of run %s: %w", used.RunID, err)
	}
	query := "UPDATE runs SET prompt_tokens = prompt_tokens + ?, completion_tokens = completion_tokens + ?, " +
		"total_tokens = total_tokens + ?, cost = cost + ?"
	if used.Estimated {
		query += ", estimated = TRUE"
	}
	if used.RunID == tx.fence.RootRunID {
		query += ", stale_attempts = 0"
		tx.stale = false
	}
	err := tx.db.Exec(query+" WHERE id = ?", used.PromptTokens, used.CompletionTokens, used.TotalTokens, used.Cost,
		used.RunID).Error
	if err != nil {
		return fmt.Errorf("add the usage of run %s: %w", used.RunID, err)
	}
	return tx.progress()
}

// StartCall notes that a call is about to have its effect.
func (tx *Tx) StartCall(callID string) error {
	err := tx.db.Model(&models.ToolCall{}).Where("id = ? AND state <> ?", callID, models.CallFinished).
		Updates(map[string]any{"state": models.CallStarted, "started_at": models.Now()}).Error
	if err != nil {
		return fmt.Errorf("note the start of tool call %s: %w", callID, err)
	}
	return nil
}

// FinishCall is the checkpoint after a tool call: its record. Only the fields of the
// record and the times count of call. false: it was finished before, and its first
// result stands.
func (tx *Tx) FinishCall(call *models.ToolCall) (bool, error) {
	call.State = models.CallFinished
	call.FinishedAt = models.Now()
	result := tx.db.Exec("UPDATE tool_calls SET state = ?, finished_at = ?, result = ?, success = ?, skipped = ?, "+
		"cached = ?, duplicate_of = ?, execution_time = ?, images = ?, files = ? WHERE id = ? AND state <> ?",
		call.State, call.FinishedAt, call.Result, call.Success, call.Skipped, call.Cached, call.DuplicateOf,
		call.ExecutionTime, call.Images, call.Files, call.ID, models.CallFinished)
	if result.Error != nil {
		return false, fmt.Errorf("store the result of tool call %s: %w", call.ID, result.Error)
	}
	if result.RowsAffected == 0 {
		return false, nil
	}
	return true, tx.progress()
}
