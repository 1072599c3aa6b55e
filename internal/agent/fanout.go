package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"nanoclaw/internal/tools"
)

// Limits bound a fan-out. They are read once for each.
type Limits struct {
	MaxIterations  int           // rounds with tools of each sub-agent
	MaxConcurrency int           // sub-agents of one conversation at work at once
	MaxTasks       int           // of one call
	Timeout        time.Duration // of each sub-agent, without its waiting
}

// Children is where sub-agents live: package runs stores them as runs.
type Children interface {
	// Prepare stores the sub-agents of a call, or finds those that an earlier
	// attempt at the same call made. They keep the tasks' order.
	Prepare(ctx context.Context, call tools.Call, tasks []tools.SubTask, limits Limits) ([]Child, error)
}

// Child is one sub-agent.
type Child interface {
	// Ended returns the result of a sub-agent that has ended, before this attempt
	// or because it was cancelled while it waited.
	Ended() (tools.SubResult, bool)

	// Run works until the sub-agent ends or waits for a person (suspended). The
	// error is only the end of ctx or a lost journal: a failed sub-agent is a result.
	Run(ctx context.Context) (result tools.SubResult, suspended bool, err error)

	// Stopped is closed when a sub-agent that waits for its turn, or for a person,
	// is cancelled.
	Stopped() <-chan struct{}

	// Woken has something when a person decided on what the sub-agent waits for, or
	// on what one below it does, since Run began: it can be run again.
	Woken() <-chan struct{}
}

// FanOut runs sub-agents under a cap. It is the service behind multi_agent.
type FanOut struct {
	Children Children
	Limits   func() Limits
	Logger   *slog.Logger

	semaphores *semaphores
}

var _ tools.SubAgents = (*FanOut)(nil)

// NewFanOut returns a fan-out that reads its limits at every call.
func NewFanOut(children Children, limits func() Limits, logger *slog.Logger) *FanOut {
	return &FanOut{Children: children, Limits: limits, Logger: logger, semaphores: newSemaphores()}
}

// MaxTasks implements tools.SubAgents.
func (f *FanOut) MaxTasks() int { return f.Limits().MaxTasks }

// FanOut implements tools.SubAgents.
func (f *FanOut) FanOut(ctx context.Context, call tools.Call, tasks []tools.SubTask) ([]tools.SubResult, error) {
	limits := f.Limits()
	if err := checkTasks(tasks, limits); err != nil {
		return nil, err
	}
	children, err := f.Children.Prepare(ctx, call, tasks, limits)
	if err != nil {
		return nil, err
	}
	return f.Await(ctx, call, children, limits.MaxConcurrency)
}

// Await takes sub-agents that were prepared to their ends, concurrency of the
// conversation at once. Meanwhile the clocks of the call and of its run stand
// still, and the run's own place among the sub-agents is free. One that waits for a
// person gives its place back and goes on once that is decided, while the others
// work; when all that are left wait, the answer is tools.ErrSuspended. Results and
// errors are those of tools.SubAgents.
func (f *FanOut) Await(ctx context.Context, call tools.Call, children []Child,
	concurrency int) ([]tools.SubResult, error) {
	resumeCall := call.Pause()
	defer resumeCall()
	resumeRun := clockOf(ctx).Pause()
	defer resumeRun()
	own := slotOf(ctx)
	own.release()

	results := make([]tools.SubResult, len(children))
	var suspended atomic.Bool
	var ended atomic.Int32
	others := newActiveSet(len(children))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, child := range children {
		// They stand in the line in the order of their tasks, whichever goroutine is first.
		place := f.semaphores.join(call.ConversationID, concurrency)
		group.Go(func() (err error) {
			defer func() {
				if panicked := recover(); panicked != nil {
					f.Logger.Error("a sub-agent panicked", "call", call.ID, "index", i, "panic", panicked, "stack",
						string(debug.Stack()))
					err = fmt.Errorf("sub-agent %d of call %s panicked: %v", i, call.ID, panicked)
				}
				if err != nil { // the others stop for it, and their calls are to know why
					err = fmt.Errorf("%w: %w", tools.ErrUnfinished, err)
				}
			}()
			waits, err := f.toTheEnd(groupCtx, call, child, concurrency, place, others, &results[i])
			if waits {
				suspended.Store(true)
			} else if err == nil {
				n := ended.Add(1)
				call.Progress(fmt.Sprintf("%d of %d sub-agents finished", n, len(children)),
					float64(n)/float64(len(children)))
			}
			return err
		})
	}
	err := group.Wait()
	back := own.reacquire(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	if suspended.Load() {
		return nil, tools.ErrSuspended
	}
	return results, back
}

// toTheEnd runs a sub-agent, and again each time that a decision came which it
// waited for, until it has ended or there is nobody left at work beside it.
func (f *FanOut) toTheEnd(ctx context.Context, call tools.Call, child Child, limit int, place *waiter,
	others *activeSet,
	result *tools.SubResult) (suspended bool, err error) {
	for ; ; place = f.semaphores.join(call.ConversationID, limit) {
		suspended, err = f.one(ctx, call, child, limit, place, result)
		others.leave()
		if !suspended || err != nil {
			return suspended, err
		}
		select {
		case <-child.Woken():
		case <-child.Stopped():
		case <-others.idle:
			return true, nil
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
		if !others.enter() {
			return true, nil // the decision is seen before the run is let go
		}
	}
}

// one takes a sub-agent that stands in the line through the gate, to its end or
// until it waits for a person.
func (f *FanOut) one(ctx context.Context, call tools.Call, child Child, limit int, place *waiter,
	result *tools.SubResult) (suspended bool, err error) {
	waits := true
	defer func() {
		if waits { // it did not come to that, not even by a panic
			f.semaphores.abandon(call.ConversationID, place)
		}
	}()
	if ended, ok := child.Ended(); ok {
		*result = ended
		return false, nil
	}
	waitCtx, stopWaiting := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-child.Stopped():
			stopWaiting(ErrCancelled)
		case <-waitCtx.Done():
		}
	}()
	waits = false
	leave, err := f.semaphores.wait(waitCtx, call.ConversationID, place)
	stopWaiting(nil)
	switch {
	case err == nil:
		own := &slot{semaphores: f.semaphores, key: call.ConversationID, limit: limit, leave: leave}
		defer own.close()
		ctx = withSlot(ctx, own)
	case ctx.Err() != nil || !errors.Is(err, ErrCancelled):
		return false, err
	}
	// One that was cancelled while it waited needs no slot to end.
	*result, suspended, err = child.Run(ctx)
	return suspended, err
}

// checkTasks refuses what cannot be run, in words for the model.
func checkTasks(tasks []tools.SubTask, limits Limits) error {
	if len(tasks) == 0 {
		return tools.Errorf(tools.CodeInvalidArguments,
			"tasks is empty: give at least one task with a name and an instruction")
	}
	if len(tasks) > limits.MaxTasks {
		return tools.Errorf(tools.CodeInvalidArguments,
			"%d tasks are too many: one call takes at most %d (sub_agent.max_tasks). Merge tasks, or make several "+
				"calls one after the other", len(tasks), limits.MaxTasks)
	}
	for i, task := range tasks {
		if strings.TrimSpace(task.Name) == "" || strings.TrimSpace(task.Instruction) == "" {
			return tools.Errorf(tools.CodeInvalidArguments,
				"tasks[%d] needs a name and an instruction that are not empty", i)
		}
	}
	return nil
}
