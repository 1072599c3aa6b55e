package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"nanoclaw/internal/terminal"
)

const (
	refreshEvery = 100 * time.Millisecond
	// stopTimeout is how long a run that was stopped may take to tell its end; the
	// server promises half a second.
	stopTimeout = 10 * time.Second
	cancelTime  = 5 * time.Second
)

// watch shows a run to its end. When ctx ends, the run is stopped.
func (p *program) watch(ctx context.Context, api *client, server *server, v *view, runID, conversation string) error {
	streaming, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	var last terminal.Event
	deciding := make(chan struct{})
	go func() {
		defer close(deciding)
		v.approver.run(streaming)
	}()
	done := make(chan error, 1)
	go func() {
		done <- api.follow(streaming, runID, func(data []byte) (err error) {
			last, err = v.show(data)
			if err == nil && last.Ended() {
				leave()
			}
			return err
		})
	}()
	err := p.await(ctx, done, leave, api, v, runID)
	leave()
	<-deciding
	closed := v.close()
	if last.Ended() {
		return errors.Join(p.report(v, last, conversation), closed)
	}
	switch err = errors.Join(err, closed); {
	case errors.Is(err, errStopped):
		return err
	case err == nil:
		err = errors.New("the server ended the events before the run's end")
	}
	if server.ours { // it must not go on by itself at the next start
		err = errors.Join(err, api.cancel(ctx, runID))
	}
	return err
}

// await waits for the end of the events, lets the clocks go on, and stops the run
// when ctx ends. What it returns matters only where the run's end was not seen.
func (p *program) await(ctx context.Context, done <-chan error, leave func(), api *client, v *view,
	runID string) error {
	var clock <-chan time.Time
	if v.live {
		ticker := time.NewTicker(refreshEvery)
		defer ticker.Stop()
		clock = ticker.C
	}
	stop := ctx.Done()
	var timeout <-chan time.Time
	var stopped chan error // nil: nobody asked for the end
	for {
		select {
		case err := <-done:
			if stopped != nil {
				return errors.Join(errStopped, err, <-stopped)
			}
			return err
		case <-clock:
			if err := v.refresh(); err != nil {
				leave()
				return errors.Join(err, <-done)
			}
		case <-stop:
			stop, stopped, timeout = nil, make(chan error, 1), time.After(stopTimeout)
			v.note("stopping …")
			go func() { stopped <- api.cancel(ctx, runID) }()
		case <-timeout:
			v.note("the server does not tell the end of the run: leaving")
			leave()
			return errors.Join(errStopped, <-done, <-stopped)
		}
	}
}

// cancel asks the server to stop a run, also when ctx has ended.
func (c *client) cancel(ctx context.Context, runID string) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer done()
	return c.call(ctx, http.MethodPost, "/runs/"+runID+"/cancel", nil, nil)
}

// howToDecide is what a person does about a call that waits for an approval.
func (c *client) howToDecide(approvalID string) string {
	return fmt.Sprintf(
		`decide in the web app at %[1]s, or with: curl -X POST %[1]s/api/v1/approvals/%[2]s -H 'Content-Type: application/json' -d '{"decision":"approve","scope":"once"}' (or "deny")`,
		c.address(), approvalID)
}

// report says how a run ended.
func (p *program) report(v *view, end terminal.Event, conversation string) error {
	run := end.Run
	if run == nil {
		return errors.New("the server does not say how the run ended")
	}
	if v.drawing != nil {
		took := ""
		if run.Started != nil && run.Finished != nil {
			took = " in " + terminal.Duration(run.Finished.Sub(*run.Started).Truncate(time.Millisecond))
		}
		about := ""
		if run.Usage.Estimated {
			about = "about "
		}
		fmt.Fprintf(p.stderr, "%s%s, %s%d tokens. Go on with: nanoclaw run --conversation %s\n",
			run.Status, took, about, run.Usage.TotalTokens, conversation)
	}
	switch run.Status {
	case "completed":
		if v.refused != "" {
			return fmt.Errorf("a call of %s was not allowed, and nothing was done after it: the task may not be done",
				v.refused)
		}
		return nil
	case "cancelled":
		return errStopped
	}
	if run.Error != nil {
		return fmt.Errorf("the run %s: %s (%s)", run.Status, run.Error.Message, run.Error.Code)
	}
	return fmt.Errorf("the run %s", run.Status)
}
