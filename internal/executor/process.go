package executor

import (
	"context"
	"fmt"
)

// Process runs the calls of a batch one after the other, in order. The outcomes
// are in call order, one for each call, also beside an error. The error is only
// ever the journal's, or the end of ctx when that left a call without an answer.
func (e *Executor) Process(ctx context.Context, env Env, batch Batch) ([]Outcome, error) {
	return e.process(ctx, env, batch, 1)
}

// ProcessParallel does the same with several calls at work at once. Calls that
// could see each other's effects still run in order, so the outcome is that of Process.
func (e *Executor) ProcessParallel(ctx context.Context, env Env, batch Batch) ([]Outcome, error) {
	return e.process(ctx, env, batch, 0)
}

func (e *Executor) process(ctx context.Context, env Env, batch Batch, workers int) ([]Outcome, error) {
	if env.Journal == nil {
		env.Journal = noJournal{}
	}
	r := &batchRun{Executor: e, env: env, limits: e.limits().complete(), generation: e.cache.generation.Load()}
	if workers == 0 {
		workers = r.limits.Workers
	}
	for _, inv := range batch.Calls {
		r.tasks = append(r.tasks, r.prepare(inv, batch))
	}
	findDuplicates(r.tasks)
	err := r.authorize(ctx)
	if err == nil {
		err = r.run(ctx, workers)
	}
	outcomes := r.outcomes()
	if err == nil && ctx.Err() != nil {
		for i := range outcomes {
			if outcomes[i].Unrecorded {
				err = context.Cause(ctx)
				break
			}
		}
	}
	if err != nil {
		return outcomes, fmt.Errorf("process %d tool calls: %w", len(batch.Calls), err)
	}
	return outcomes, nil
}

// batchRun is one batch at work.
type batchRun struct {
	*Executor
	env    Env
	limits Limits
	tasks  []*task

	generation uint64 // of the cache when the batch began
}

func (r *batchRun) outcomes() []Outcome {
	outcomes := make([]Outcome, len(r.tasks))
	for i, t := range r.tasks {
		outcome := Outcome{Invocation: t.inv}
		switch first := t.first(); {
		case t.phase == recorded:
			outcome.Record = t.record
		case first.phase == suspended:
			outcome.Suspended = true
			outcome.Deferred = first.deferred || first != t
		case t.phase == answered:
			outcome.Unrecorded = true
			outcome.Record = t.record
		default:
			outcome.Unrecorded = true
			outcome.Record = r.cancelled(t)
		}
		outcomes[i] = outcome
	}
	return outcomes
}
