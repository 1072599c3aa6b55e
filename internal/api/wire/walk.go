package wire

import (
	"context"
	"errors"
	"io"
	"time"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

// settleCheck is how soon a run that has asked for something is found to wait for it.
const settleCheck = 50 * time.Millisecond

// FromSnapshot is a cursor that no event has: the walk begins with what a snapshot shows,
// without what an attempt that was lost had said.
const FromSnapshot = "snapshot"

// Walk is how a run is followed.
type Walk struct {
	RunID  string
	Cursor string // behind which the walk begins; empty: the run's first event
	// Each gets every event of the run and those below it, and may end the walk.
	Each func(turn.Event) (done bool, err error)
	// Idle is called after silence; nil: nothing is.
	Idle func() error
	// Waits is called once nothing in the run goes on without a decision or a client's
	// result, with what it waits for, and may end the walk; nil: the walk goes on.
	Waits func(Waiting) (done bool, err error)
}

// Waiting is what a run waits for.
type Waiting struct {
	Run       *runs.RunView
	Approvals []*runs.ApprovalView
	Calls     []tools.Invocation // of the client's tools
	Cursor    string             // the events up to here were handed on
}

// Follow walks through a run's events until one of the functions ends it, or the run has
// ended: then it returns true.
func (h Host) Follow(ctx context.Context, w Walk) (ended bool, err error) {
	watch, err := h.Runs.WatchRun(ctx, h.User(ctx), w.RunID, w.Cursor)
	if errors.Is(err, runs.ErrOver) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer watch.Close()
	f := &follower{Host: h, Walk: w, stream: turn.Follow(watch), silentSince: time.Now(), checked: time.Now(),
		mayWait: w.Cursor != "" && w.Waits != nil}
	for {
		if done, over, err := f.next(ctx); done || err != nil {
			return over, err
		}
	}
}

// follower is one walk under way.
type follower struct {
	Host
	Walk
	stream      *turn.Stream
	mayWait     bool // something was asked for: the run may wait
	silentSince time.Time
	checked     time.Time // that the client may still have this
}

func (f *follower) next(ctx context.Context) (done, over bool, err error) {
	timeout := f.Live.Current().HTTP.Heartbeat.Std()
	if time.Since(f.checked) >= timeout {
		f.checked = time.Now()
		if err := f.Allowed(ctx); err != nil {
			return false, false, err
		}
	}
	if f.mayWait {
		timeout = settleCheck
	}
	waiting, cancel := context.WithTimeout(ctx, timeout)
	event, err := f.stream.Next(waiting)
	cancel()
	switch {
	case ctx.Err() != nil:
		return false, false, context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		done, err = f.silence(ctx)
		return done, false, err
	case errors.Is(err, io.EOF):
		return true, true, nil
	case err != nil:
		return false, false, err
	}
	f.silentSince, f.Cursor = time.Now(), event.Cursor
	if event.Type == runs.EventApprovalAsked || event.Type == runs.EventCallWaiting {
		f.mayWait = f.Waits != nil
	}
	done, err = f.Each(event)
	return done, false, err
}

// silence looks whether the run waits, and shows a connection that was silent for long
// that the server is there.
func (f *follower) silence(ctx context.Context) (done bool, err error) {
	if f.mayWait {
		waiting, err := f.waits(ctx)
		if err != nil {
			return false, err
		}
		if waiting != nil {
			f.mayWait = false
			if done, err := f.Waits(*waiting); done || err != nil {
				return done, err
			}
		}
	}
	if time.Since(f.silentSince) < f.Live.Current().HTTP.Heartbeat.Std() {
		return false, nil
	}
	f.silentSince = time.Now()
	if f.Idle == nil {
		return false, nil
	}
	return false, f.Idle()
}

// waits returns what the run waits for; nil: something of it goes on.
func (f *follower) waits(ctx context.Context) (*Waiting, error) {
	user := f.User(ctx)
	run, err := f.Runs.Run(ctx, user, f.RunID)
	if err != nil || run.Status != models.RunWaitingApproval {
		return nil, err
	}
	waiting := &Waiting{Run: run, Cursor: f.Cursor}
	approvals, err := f.Store.PendingApprovals(ctx, run.RootRunID)
	if err != nil {
		return nil, err
	}
	for _, approval := range approvals {
		waiting.Approvals = append(waiting.Approvals, f.Runs.ViewApproval(approval))
	}
	if waiting.Calls, err = f.Runs.WaitingClientCalls(ctx, user, run.RootRunID); err != nil {
		return nil, err
	}
	if len(waiting.Approvals)+len(waiting.Calls) == 0 {
		return nil, nil // it was decided meanwhile
	}
	return waiting, nil
}

// Continued says whether a run that ended was continued since: there is another end.
func (h Host) Continued(ctx context.Context, end turn.Event) bool {
	run, err := h.Store.Run(ctx, h.User(ctx), end.RunID)
	return err == nil && end.Run != nil && run.Attempt != end.Run.Attempt
}
