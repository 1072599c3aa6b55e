package runs

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// journal checkpoints one run of a tree and tells what happens to it.
type journal struct {
	tree *tree
	run  *models.Run
}

var _ agent.Journal = (*journal)(nil)

func (j *journal) StepStarted(stepID string, number int) { j.tree.startStep(j.run, stepID, number) }

func (j *journal) ThinkingDelta(_, text string) { j.tree.delta(j.run.ID, text, true) }

func (j *journal) TextDelta(_, text string) { j.tree.delta(j.run.ID, text, false) }

// StepFinished stores the step with the text that was shown: redacted.
func (j *journal) StepFinished(ctx context.Context, step *agent.Step) error {
	reasoning, text := j.tree.endStep(j.run.ID)
	step.Response.Reasoning, step.Response.Text = reasoning, text
	row := stepRow(j.run, step)
	row.Cost = j.tree.service.Cost(step.ModelID, step.Response.Usage)
	calls := callRows(j.run, step)
	used := Usage{row.PromptTokens, row.CompletionTokens, row.TotalTokens, row.Cost, row.Estimated}
	events := make([]*models.Outbox, 0, len(calls)+1)
	for _, call := range calls {
		events = append(events, eventRow(EventCallStarted, j.run, callStartedPayload{j.startedView(call), step.ID}))
	}
	events = append(events,
		eventRow(EventUsage, j.run, usagePayload{Usage: used, Model: step.ModelID, StepID: step.ID}))
	cost := usageRow(j.run, row, step.Response.Usage)
	err := j.tree.commit(ctx, "step", func(tx *store.Tx) error {
		tx.Send(events...)
		return tx.AddStep(row, calls, cost)
	})
	if err != nil {
		return lost(err)
	}
	j.tree.addUsage(j.run, used)
	return nil
}

// CallStarted is durable before a call has its effect. A call that may be run
// again needs no note.
func (j *journal) CallStarted(ctx context.Context, inv tools.Invocation, effect tools.EffectKind) error {
	if err := j.closeApproval(ctx, inv.ID); err != nil {
		return err
	}
	if effect.Repeatable() {
		return nil
	}
	return lost(j.tree.commit(ctx, "call_started", func(tx *store.Tx) error { return tx.StartCall(inv.ID) }))
}

// CallFinished stores the record, also when ctx has ended: what was done is kept.
func (j *journal) CallFinished(ctx context.Context, record tools.Record) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkpointTimeout)
	defer cancel()
	if err := j.closeApproval(ctx, record.ID); err != nil {
		return err
	}
	return lost(j.tree.storeResult(j.run, record))
}

func (j *journal) CallProgress(id, message string, fraction float64) {
	payload := progressPayload{ID: id, Message: j.tree.service.Redactor.String(message)}
	if fraction >= 0 {
		payload.Fraction = &fraction
	}
	j.tree.publishTransient(EventCallProgress, j.run, payload)
}

// lost turns the store's fence into the loop's. A run that an outage keeps from
// being checkpointed is lost too: it goes on from its last checkpoint.
func lost(err error) error {
	if errors.Is(err, store.ErrFenced) || passing(err) {
		return agent.ErrLost
	}
	return err
}

func stepRow(run *models.Run, step *agent.Step) *models.Step {
	used := step.Response.Usage
	return &models.Step{
		ID: step.ID, RunID: run.ID, RootRunID: run.RootRunID, Number: step.Number, Model: step.ModelID,
		Reasoning: step.Response.Reasoning, ThinkingMS: step.Thought.Milliseconds(), Text: step.Response.Text,
		Opaque:       models.RawJSON(step.Response.Opaque),
		FinishReason: step.Response.FinishReason, Partial: step.Partial,
		PromptTokens: used.PromptTokens, CompletionTokens: used.CompletionTokens, TotalTokens: used.TotalTokens,
		Estimated: used.Estimated, CreatedAt: now(),
	}
}

func callRows(run *models.Run, step *agent.Step) []*models.ToolCall {
	rows := make([]*models.ToolCall, len(step.Calls))
	for i, call := range step.Calls {
		rows[i] = &models.ToolCall{
			ID: call.ID, RunID: run.ID, RootRunID: run.RootRunID, StepID: step.ID, StepNumber: step.Number,
			CallIndex:  i,
			ProviderID: call.ProviderID, State: models.CallPending, Name: call.Name, Arguments: call.Arguments,
			AgentPath: run.AgentPath,
		}
	}
	return rows
}

func usageRow(run *models.Run, step *models.Step, used llm.Usage) *models.TokenUsage {
	return &models.TokenUsage{
		ID: store.NewID(), StepID: step.ID, UserID: run.UserID, ConversationID: run.ConversationID,
		ProjectID: run.ProjectID,
		RunID:     run.ID, RootRunID: run.RootRunID, Model: step.Model, Day: step.CreatedAt.Std().Format(time.DateOnly),
		PromptTokens: used.PromptTokens, CompletionTokens: used.CompletionTokens, TotalTokens: used.TotalTokens,
		CachedTokens: used.CachedTokens, Cost: step.Cost, Estimated: used.Estimated, CreatedAt: step.CreatedAt,
	}
}

// startedView shows a call with its secrets covered.
func (j *journal) startedView(call *models.ToolCall) startedCall {
	arguments := j.tree.service.covered(call.Arguments)
	return startedCall{ID: call.ID, Type: "function", AgentPath: call.AgentPath,
		Function: tools.FunctionCall{Name: call.Name, Arguments: arguments}}
}

// covered redacts arguments: the strings inside where they are JSON, else the text.
func (s *Service) covered(arguments string) string {
	parsed, _, err := tools.ParseArguments(arguments)
	if err != nil {
		return s.Redactor.String(arguments)
	}
	if s.Redactor.String(arguments) == arguments {
		return arguments
	}
	encoded, err := json.Marshal(s.Redactor.Value(parsed))
	if err != nil {
		return s.Redactor.String(arguments)
	}
	return string(encoded)
}
