package agent

import (
	"context"
	"errors"

	"nanoclaw/internal/executor"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/tools"
)

// Loop runs agents. It holds no state of theirs and serves any number at once.
type Loop struct {
	Executor *executor.Executor
}

// Run takes one agent from where its steps end to its answer. It returns when the
// model answers in text, when the iterations are used up, or when calls wait for
// a person; else the error says why it ended: a failed model call (*llm.Error),
// an *Error, ErrDrained, the cause of ctx, or what the journal answered.
func (l *Loop) Run(ctx context.Context, spec Spec, journal Journal) (Result, error) {
	spec.Env.Journal = journal
	steps := spec.Steps
	watch := newRepeatWatch()
	for _, step := range steps {
		if complete(step) {
			watch.observe(step)
		}
	}
	for {
		n := len(steps)
		said, limit, unanswered := spec.steering(n)
		if n > 0 {
			last := steps[n-1]
			if len(last.Calls) == 0 && !unanswered {
				return finalResult(last, n > limit && len(spec.Tools) > 0), nil
			}
			if !complete(last) {
				suspended, err := l.runCalls(ctx, spec, last, journal)
				if err != nil {
					return Result{}, err
				}
				if suspended {
					return Result{Suspended: true}, nil
				}
				watch.observe(last)
			}
			if err := watch.err(); err != nil {
				return Result{}, err
			}
			if said, limit, unanswered = spec.steering(n); n > limit && !unanswered {
				return Result{Text: last.Response.Text, Incomplete: true}, nil
			}
		}
		if err := l.checkContinue(ctx, spec); err != nil {
			return Result{}, err
		}
		step, err := l.turn(ctx, spec, steps, said, n >= limit, watch.notes, journal)
		if err != nil {
			return Result{}, err
		}
		steps = append(steps, step)
	}
}

// steering is what the person said so far, up to which step the model may use tools, as if
// the run began with the last of it, and whether it is still to be answered.
func (s *Spec) steering(next int) (said []Steering, limit int, unanswered bool) {
	limit = s.MaxIterations
	if s.Steering == nil {
		return nil, limit, false
	}
	said = s.Steering(next)
	if n := len(said); n > 0 {
		last := said[n-1].Before
		limit, unanswered = limit+last, last >= next
	}
	return said, limit, unanswered
}

func (l *Loop) checkContinue(ctx context.Context, spec Spec) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if spec.Draining != nil && spec.Draining() {
		return ErrDrained
	}
	if spec.Budget != nil {
		return spec.Budget(ctx)
	}
	return nil
}

// finalResult is the answer of a step without calls.
func finalResult(last *Step, lastIteration bool) Result {
	// Cut off, or asked for tools where there were none to have.
	cut := last.Response.FinishReason == llm.FinishLength || last.Response.FinishReason == llm.FinishToolCalls
	return Result{
		Text:       last.Response.Text,
		Incomplete: last.Partial || cut || (lastIteration && last.Response.Text == ""),
	}
}

func complete(step *Step) bool {
	for _, call := range step.Calls {
		if call.Record == nil {
			return false
		}
	}
	return true
}

// runCalls runs the calls of a step that are not finished.
func (l *Loop) runCalls(ctx context.Context, spec Spec, step *Step, journal Journal) (suspended bool, err error) {
	batch, err := batchOf(ctx, spec, step, journal)
	if err != nil {
		return false, err
	}
	outcomes, err := l.Executor.ProcessParallel(ctx, spec.Env, batch)
	if err != nil {
		if cause := context.Cause(ctx); ctx.Err() != nil && !errors.Is(err, cause) {
			err = cause
		}
		return false, err
	}
	interrupted := false
	for i, outcome := range outcomes {
		if outcome.Suspended {
			suspended = true
			continue
		}
		if outcome.Unrecorded {
			interrupted = true // a later attempt enters it again
			continue
		}
		record := outcome.Record
		step.Calls[i].Record = &record
	}
	// A cancelled batch comes back with records that say so: the loop ends here.
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case interrupted && spec.Draining != nil && spec.Draining():
		return false, ErrDrained
	case interrupted:
		return false, ErrLost
	}
	return suspended, nil
}

// batchOf are the calls of a step, with what is known of them. Those with effects that
// were in flight when the process died get their answer here.
func batchOf(ctx context.Context, spec Spec, step *Step, journal Journal) (executor.Batch, error) {
	batch := executor.Batch{Done: map[string]tools.Record{}, Granted: granted(step)}
	for _, call := range step.Calls {
		batch.Calls = append(batch.Calls, call.Invocation)
		if call.Record == nil && call.Started && !call.Effect.Repeatable() {
			record := unknownOutcome(call, spec.Env.Call.AgentPath)
			if err := journal.CallFinished(ctx, record); err != nil {
				return batch, err
			}
			call.Record = &record
		}
		if call.Record != nil {
			batch.Done[call.ID] = *call.Record
		}
	}
	return batch, nil
}

// unknownOutcome is the record of a call with effects that was in flight when the
// process died: it is never run a second time by the server.
func unknownOutcome(call *Call, agentPath string) tools.Record {
	failure := tools.Failed(tools.Errorf(tools.CodeOutcomeUnknown,
		"the server stopped while this call was running: it may have taken effect or not. Look at the state of "+
			"things before you repeat it"))
	return tools.Record{
		ID: call.ID, Type: "function",
		Function:  tools.FunctionCall{Name: call.Name, Arguments: call.Arguments},
		Result:    string(mustJSON(failure)),
		AgentPath: agentPath,
	}
}

// granted are the decisions that people made on a step's calls.
func granted(step *Step) map[string]guard.Grant {
	grants := map[string]guard.Grant{}
	for _, call := range step.Calls {
		if call.Grant != nil {
			grants[call.ID] = *call.Grant
		}
	}
	return grants
}
