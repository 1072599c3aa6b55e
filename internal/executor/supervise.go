package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"nanoclaw/internal/clock"
	"nanoclaw/internal/jsontree"
	"nanoclaw/internal/tools"
)

// How long a tool may take to come back after its context ended, before it is
// left behind. A stopped run has to end within half a second, and a tool that
// runs sub-agents waits for their tools.
const (
	timeoutGrace      = 2 * time.Second
	cancelGrace       = 200 * time.Millisecond
	fanOutCancelGrace = 2 * cancelGrace
)

var errTimeLimit = errors.New("the tool's time limit is over")

// output is what a tool returned, as JSON with its images and files, and whether it may not be cached.
type output struct {
	data         []byte
	images       []tools.Image
	files        []tools.SentFile
	notCacheable bool
}

// callTool runs the tool of a task and encodes what it returns.
func (r *batchRun) callTool(ctx context.Context, t *task) (output, error) {
	return supervise(ctx, r, t, func(ctx context.Context, call tools.Call) (output, error) {
		value, err := t.tool.Run(ctx, call, json.RawMessage(t.canonical))
		if err != nil {
			return output{images: imagesOfFailure(err)}, err
		}
		data, err := jsontree.Encode(value)
		if err != nil {
			return output{}, tools.Errorf(tools.CodeInternal,
				"the tool ran, but its result cannot be written as JSON: %v", err)
		}
		marked, isMarked := value.(tools.NotCacheable)
		out := output{data: data, images: imagesOf(value), notCacheable: isMarked && marked.NotCacheable()}
		if delivery, is := value.(tools.Delivery); is {
			out.files = delivery.Files()
		}
		out.notCacheable = out.notCacheable || len(out.images) > 0 || len(out.files) > 0
		return out, nil
	})
}

func imagesOf(value any) []tools.Image {
	if illustrated, is := value.(tools.Illustrated); is {
		return illustrated.Images()
	}
	return nil
}

func imagesOfFailure(err error) []tools.Image {
	var own *tools.Error
	if errors.As(err, &own) {
		return imagesOf(own.Data)
	}
	return nil
}

// supervise runs foreign code in a goroutine of its own: under the tool's time
// limit, with panics caught, and left behind when it does not obey the end of
// its context. What it returns after that is thrown away.
func supervise[T any](ctx context.Context, r *batchRun, t *task, do func(context.Context, tools.Call) (T,
	error)) (T, error) {
	limit := r.limits.timeout(t.tool)
	ctx, counting, stop := clock.WithLimit(ctx, limit, errTimeLimit)
	defer stop()

	type answer struct {
		value T
		err   error
	}
	var over atomic.Bool // the call is answered: nobody listens to the tool any more
	defer over.Store(true)
	call := r.callFor(t, counting, &over)
	done := make(chan answer, 1)
	go func() {
		var a answer
		returned := false
		defer func() {
			if p := recover(); p != nil || !returned {
				a.err = r.panicked(ctx, t, p)
			}
			done <- a
		}()
		a.value, a.err = do(ctx, call)
		returned = true
	}()

	select {
	case a := <-done:
		return a.value, explain(ctx, t, a.err, limit)
	case <-ctx.Done():
	}
	grace := time.NewTimer(graceAfter(ctx, t.tool.Effect))
	defer grace.Stop()
	select {
	case a := <-done:
		return a.value, explain(ctx, t, a.err, limit)
	case <-grace.C:
	}
	r.abandon(ctx, t)
	go func() {
		<-done
		r.reapAbandoned(ctx, t)
	}()
	var none T
	return none, explain(ctx, t, ctx.Err(), limit)
}

func graceAfter(ctx context.Context, effect tools.EffectKind) time.Duration {
	if errors.Is(context.Cause(ctx), errTimeLimit) {
		return timeoutGrace
	}
	if effect == tools.Resumes {
		return fanOutCancelGrace
	}
	return cancelGrace
}

// callFor is what the tool learns of its call.
func (r *batchRun) callFor(t *task, counting *clock.Clock, over *atomic.Bool) tools.Call {
	call := r.env.Call
	call.ID, call.Tool, call.OutputLimit = t.inv.ID, t.tool.Name, r.limits.OutputLimit
	call.Clearance = clearance(t)
	call.Pause = counting.Pause
	call.Progress = func(message string, fraction float64) {
		if !over.Load() {
			r.env.Journal.CallProgress(t.inv.ID, r.redact(message), fraction)
		}
	}
	return call
}

// panicked logs a panic with its stack and makes the error of the call. The
// panic's text stays in the log: it may hold anything.
func (r *batchRun) panicked(ctx context.Context, t *task, p any) error {
	if p == nil {
		p = "the tool ended its goroutine"
	}
	r.log.ErrorContext(ctx, "a tool panicked", "tool", t.tool.Name, "call_id", t.inv.ID, "run_id", r.env.Call.RunID,
		"panic", r.redact(fmt.Sprint(p)), "stack", string(debug.Stack()))
	return tools.Errorf(tools.CodeInternal,
		"%s failed because of a defect of its own, which is in the server's log (call %s); the same call "+
			"would fail again", t.tool.Name, t.inv.ID)
}

func (r *batchRun) abandon(ctx context.Context, t *task) {
	r.abandoned.Add(1)
	r.log.WarnContext(ctx, "a tool ignores the end of its call and was abandoned", "tool", t.tool.Name, "call_id",
		t.inv.ID, "run_id", r.env.Call.RunID, "cause", context.Cause(ctx))
}

func (r *batchRun) reapAbandoned(ctx context.Context, t *task) {
	r.abandoned.Add(-1)
	r.log.InfoContext(ctx, "an abandoned tool has ended; its result is discarded", "tool", t.tool.Name,
		"call_id", t.inv.ID, "run_id", r.env.Call.RunID)
}

// explain makes what a tool says after its context ended into what happened: a
// tool in trouble reports all sorts of errors then. Codes and data of the tool's
// own stay.
func explain(ctx context.Context, t *task, err error, limit time.Duration) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	switch tools.CodeOf(err) {
	case tools.CodeInternal, tools.CodeCancelled, tools.CodeTimeout:
	default:
		return err
	}
	var explained *tools.Error
	if errors.Is(context.Cause(ctx), errTimeLimit) {
		explained = tools.Errorf(tools.CodeTimeout,
			"%s did not finish within its time limit of %s; try a smaller piece of work", t.tool.Name, limit)
	} else {
		explained = tools.Errorf(tools.CodeCancelled, "%s was stopped before it finished", t.tool.Name)
	}
	var own *tools.Error
	if errors.As(err, &own) {
		explained.Data = own.Data
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		explained.Message += ": " + err.Error()
	}
	return explained
}
