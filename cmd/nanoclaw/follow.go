package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	// silence is after how long a stream counts as dead; the server sends a comment
	// every 15 s.
	silence = 45 * time.Second
	// reconnects without an event in between, after which a server counts as gone.
	reconnects = 12
	firstPause = 50 * time.Millisecond
	lastPause  = 2 * time.Second
)

// errSilent is why a stream ended that was open but dead.
var errSilent = errors.New("the server is silent")

// follow hands the data of a run's events to handle, from the first one to the
// last, over as many connections as it takes. It ends without an error when the
// server has no more.
func (c *client) follow(ctx context.Context, runID string, handle func(data []byte) error) error {
	after, failed := "", 0
	for {
		before := after
		err := c.stream(ctx, "/runs/"+runID+"/events", after, func(e serverEvent) error {
			after = e.id
			if err := handle(e.data); err != nil {
				return &handleError{err}
			}
			return nil
		})
		var refusal *apiError
		var mine *handleError
		switch {
		case errors.As(err, &mine):
			return mine.err
		case errors.Is(err, errOver):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &refusal) && refusal.Status < 500:
			return err
		}
		if after != before {
			failed = 0
		}
		if failed++; failed > reconnects {
			if err == nil {
				err = errors.New("the stream of events ends too early")
			}
			return fmt.Errorf("the connection to the server at %s is lost: %w", c.address(), err)
		}
		select {
		case <-time.After(min(lastPause, c.pause<<failed)):
		case <-ctx.Done():
			return ctx.Err()
		}
		if c.locate != nil {
			if err := c.locate(ctx, failed); err != nil {
				return err
			}
		}
	}
}

// handleError is an error of who handles the events, not of the connection.
type handleError struct{ err error }

func (e *handleError) Error() string { return e.err.Error() }

// errOver says that all events of a run were seen.
var errOver = errors.New("all events were seen")

// stream reads one connection's events behind a cursor.
func (c *client) stream(ctx context.Context, path, after string, handle func(serverEvent) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(c.silence, func() { cancel(errSilent) })
	defer watchdog.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address()+"/api/v1"+path, nil)
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	request.Header.Set("Accept", "text/event-stream")
	c.authorize(request)
	if after != "" {
		request.Header.Set("Last-Event-ID", after)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("reach the server: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNoContent {
		return errOver
	}
	if err := refused(response); err != nil {
		return err
	}
	err = readEvents(response.Body, func() { watchdog.Reset(c.silence) }, handle)
	if cause := context.Cause(ctx); errors.Is(cause, errSilent) {
		return errSilent
	}
	return err
}
