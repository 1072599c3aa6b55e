package executor

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"nanoclaw/internal/telemetry"
	"nanoclaw/internal/tools"
)

// run takes the calls that may run through cache, tool and record, that many at
// once. It returns when none of them is at work any more.
func (r *batchRun) run(ctx context.Context, workers int) error {
	plan := newSchedule(r.tasks)
	if workers == 1 || len(r.tasks) == 1 {
		return r.runInOrder(ctx, plan)
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	finished := make(chan int, len(r.tasks))
	for running := 0; ; running-- {
		for running < workers && groupCtx.Err() == nil {
			call, found := plan.next()
			if !found {
				break
			}
			running++
			group.Go(func() error {
				defer func() { finished <- call }()
				return r.work(groupCtx, r.tasks[call])
			})
		}
		if running == 0 {
			return group.Wait()
		}
		r.settle(plan, <-finished)
	}
}

func (r *batchRun) runInOrder(ctx context.Context, plan *schedule) error {
	for call, found := plan.next(); found && ctx.Err() == nil; call, found = plan.next() {
		if err := r.work(ctx, r.tasks[call]); err != nil {
			return err
		}
		r.settle(plan, call)
	}
	return nil
}

// settle lets the calls go on that waited for one that is recorded. Those behind
// a suspended one have to wait as it does; those behind one that has no answer
// because the run ended have none either.
func (r *batchRun) settle(plan *schedule, call int) {
	switch r.tasks[call].phase {
	case recorded:
		plan.finished(call)
	case suspended:
		for _, behind := range plan.behind(call) {
			r.tasks[behind].phase, r.tasks[behind].deferred = suspended, true
		}
	}
}

// work brings one call to its record, and its duplicates after it.
func (r *batchRun) work(ctx context.Context, t *task) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("call %s of %s: panic: %v\n%s", t.inv.ID, t.inv.Name, p, debug.Stack())
		}
	}()
	if t.phase == prepared {
		if err := r.execute(ctx, t); err != nil {
			return err
		}
	}
	if t.phase == answered {
		if err := r.finish(ctx, t); err != nil {
			return err
		}
	}
	if t.phase != recorded {
		return nil // suspended, or stopped
	}
	for _, other := range r.tasks {
		if other.duplicateOf == t {
			r.copyAnswer(other, t)
			if err := r.finish(ctx, other); err != nil {
				return err
			}
		}
	}
	return nil
}

// execute answers a call from the cache or by running its tool. The call stays
// without an answer when the run ended and it may be repeated, when the run goes on
// elsewhere, or when the tool says that it cannot end yet.
func (r *batchRun) execute(ctx context.Context, t *task) error {
	if ctx.Err() != nil {
		return nil
	}
	t.began = time.Now()
	stamp, cacheable := r.stamp(ctx, t)
	if cacheable {
		if result, hit := r.cache.get(t.key, stamp, r.limits.OutputLimit, r.limits.CacheTTL); hit {
			r.answer(t, encodedResult{text: result, success: true})
			t.record.Cached = true
			return nil
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	if err := r.env.Journal.CallStarted(ctx, t.shown, t.tool.Effect); err != nil {
		return fmt.Errorf("start call %s of %s: %w", t.inv.ID, t.tool.Name, err)
	}
	start := time.Now()
	traced, end := telemetry.Start(ctx, "execute_tool "+t.tool.Name, telemetry.String("gen_ai.tool.name", t.tool.Name),
		telemetry.String("gen_ai.tool.call.id", t.inv.ID))
	out, err := r.callTool(traced, t)
	end(codeOf(err))
	t.took = time.Since(start)
	if t.tool.Effect.Suspends() && errors.Is(err, tools.ErrSuspended) {
		t.phase = suspended
		return nil
	}
	if errors.Is(err, tools.ErrUnfinished) || err != nil && unfinished(ctx, t, err) {
		return nil
	}
	shown, failure := r.suppress(out.data, err)
	if failure != err { // nothing of a withheld result is kept
		out.images, out.files = nil, nil
	}
	out.data, err = shown, failure
	result := r.encode(t.tool.ReadOn, out.data, err)
	result.images, result.files = out.images, out.files
	r.answer(t, result)
	if cacheable && result.success && !out.notCacheable {
		r.cache.put(t.key, cachedResult{result: result.text, stamp: stamp, outputLimit: r.limits.OutputLimit,
			generation: r.generation})
	}
	return nil
}

// unfinished says that a call which failed with err has no answer that lasts: its context
// stopped it, and it may be repeated, or its run goes on elsewhere. There nobody wished it
// to stop: what it did, if anything, is found to be unknown.
func unfinished(ctx context.Context, t *task, err error) bool {
	return ctx.Err() != nil && tools.CodeOf(err) == tools.CodeCancelled &&
		(t.tool.Effect.Repeatable() || errors.Is(context.Cause(ctx), tools.ErrUnfinished))
}

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return tools.CodeOf(err)
}

// stamp says which version of the world the call would see, and whether its
// result may be cached at all.
func (r *batchRun) stamp(ctx context.Context, t *task) (stamp string, cacheable bool) {
	if !r.limits.CacheEnabled || r.env.Scope == "" || !t.tool.Effect.Cacheable() {
		return "", false
	}
	if t.tool.Effect != tools.Reads {
		return "", true
	}
	if t.tool.Stamp == nil {
		return "", false
	}
	stamp, err := supervise(ctx, r, t, func(ctx context.Context, call tools.Call) (string, error) {
		return t.tool.Stamp(ctx, call, t.canonical)
	})
	return stamp, err == nil && stamp != ""
}

// finish tells the journal and the audit. What happened is kept even when the
// run is being cancelled.
func (r *batchRun) finish(ctx context.Context, t *task) error {
	ctx = context.WithoutCancel(ctx)
	if r.audit != nil {
		r.audit(ctx, r.auditEntry(t))
	}
	if err := r.env.Journal.CallFinished(ctx, t.record); err != nil {
		return fmt.Errorf("record call %s of %s: %w", t.inv.ID, t.inv.Name, err)
	}
	t.phase = recorded
	return nil
}
