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

// ModelRetry tells why nothing comes for a while.
func (j *journal) ModelRetry(stepID string, retry llm.Retry) {
	payload := Retry{StepID: stepID, Try: retry.Try, Max: retry.Max,
		At: time.Now().Add(retry.Wait).UTC().Format(time.RFC3339Nano)}
	if reason := retry.Reason; reason != nil {
		payload.Model = reason.Model
		payload.Error = &Failure{Code: reason.Code, Message: j.tree.service.Redactor.String(reason.Message)}
	}
	j.tree.wait(j.run.ID, payload)
	j.tree.publishTransient(EventModelRetry, j.run, payload)
}

// StepFinished stores the step with the text that was shown: redacted. A root run ends
// with a step without calls, and stores it with its end: nothing comes between the two.
func (j *journal) StepFinished(ctx context.Context, step *agent.Step) error {
	last := j.run == j.tree.root && len(step.Calls) == 0 && !step.Partial
	step.Response.Reasoning, step.Response.Text = j.tree.showStep(j.run.ID)
	checkpoint := j.checkpoint(step)
	if last {
		j.tree.last = checkpoint
	} else {
		j.tree.forgetStep(j.run.ID)
		before := j.tree.last // it was not the last one after all
		err := j.tree.commit(ctx, "step", func(tx *store.Tx) error {
			if before != nil && j.run == j.tree.root {
				if err := before.store(tx); err != nil {
					return err
				}
			}
			return checkpoint.store(tx)
		})
		if err != nil {
			return lost(err)
		}
		if j.run == j.tree.root {
			j.tree.last = nil
		}
	}
	if j.run == j.tree.root {
		j.tree.transcript.add(checkpoint.step, checkpoint.calls)
	}
	j.tree.addUsage(j.run, checkpoint.used)
	return nil
}

// stepCheckpoint is a model turn as it is stored.
type stepCheckpoint struct {
	step   *models.Step
	calls  []*models.ToolCall
	cost   *models.TokenUsage
	used   Usage
	events []*models.Outbox
}

func (c *stepCheckpoint) store(tx *store.Tx) error {
	tx.Send(c.events...)
	return tx.AddStep(c.step, c.calls, c.cost)
}

func (j *journal) checkpoint(step *agent.Step) *stepCheckpoint {
	row := stepRow(j.run, step)
	row.Cost = j.tree.service.Cost(step.ModelID, step.Response.Usage)
	c := &stepCheckpoint{step: row, calls: callRows(j.run, step), cost: usageRow(j.run, row, step.Response.Usage),
		used: Usage{PromptTokens: row.PromptTokens, CompletionTokens: row.CompletionTokens, TotalTokens: row.TotalTokens,
			Cost: row.Cost, Estimated: row.Estimated}}
	for _, call := range c.calls {
		c.events = append(c.events,
			eventRow(EventCallStarted, j.run, callStartedPayload{j.startedView(call), step.ID}))
	}
	c.events = append(c.events,
		eventRow(EventUsage, j.run, usagePayload{Usage: c.used, Model: step.ModelID, StepID: step.ID}))
	return c
}

// CallStarted is durable before a call has its effect. A call that may be run
// again needs no note. An empty progress tells that the call no longer waits for its turn.
func (j *journal) CallStarted(ctx context.Context, inv tools.Invocation, effect tools.EffectKind) error {
	if err := j.closeApproval(ctx, inv.ID); err != nil {
		return err
	}
	if !effect.Repeatable() {
		err := j.tree.commit(ctx, "call_started", func(tx *store.Tx) error { return tx.StartCall(inv.ID) })
		if err != nil {
			return lost(err)
		}
	}
	j.CallProgress(inv.ID, "", -1)
	return nil
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
		ID: store.NewID(), StepID: step.ID, UserID: run.Actor(), ConversationID: run.ConversationID,
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
