package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"nanoclaw/internal/runs"
)

const eventStream = "text/event-stream"

const (
	// sendTimeout is how long a client may take to receive what is ready.
	sendTimeout = 30 * time.Second
	// batchTimeout is how long what was written waits for more of its batch.
	batchTimeout = 2 * time.Millisecond
)

func (s *server) registerEvents() {
	const tag = "Events"
	resume := params(
		headerParam("Last-Event-ID", "The cursor of the last event that was seen; EventSource sends it by itself."),
		queryParam("after", "string", "The same, where a header cannot be set."),
	)
	stream := answers("200",
		"Server-sent events: id is the cursor, event the type, data one JSON object. A comment comes after silence.",
		eventStream, eventSchema(s))
	s.plain(op("GET", "/runs/{id}/events", "watch-run", tag, "Events of a run and of those below it",
		describe("From its first event, or behind a cursor, to run.finished (agent.finished for a sub-agent). With "+
			"the cursor of that last event: 204."),
		resume, stream, answers("204", "The run has ended and all its events were seen.", "", nil)), s.watchRun)
	s.plain(op("GET", "/conversations/{id}/events", "watch-conversation", tag, "Events of a conversation",
		describe("Without a cursor, or with one that is too old, one snapshot and then what happens."), resume, stream),
		s.watchConversation)
	s.plain(op("GET", "/events", "watch-all", tag, "Events of all conversations of the user", resume, stream),
		s.watchAll)
}

func (s *server) watchRun(c echo.Context) error { return s.streamRun(c, c.Param("id"), after(c)) }

func (s *server) streamRun(c echo.Context, runID, after string) error {
	ctx := c.Request().Context()
	watch, err := s.Runs.WatchRun(ctx, currentUser(ctx), runID, after)
	if errors.Is(err, runs.ErrOver) {
		return c.NoContent(http.StatusNoContent)
	}
	if err != nil {
		return err
	}
	return s.stream(c, watch)
}

func (s *server) watchConversation(c echo.Context) error {
	ctx := c.Request().Context()
	conv, err := s.Store.GetConversation(ctx, currentUser(ctx), c.Param("id"))
	if err != nil {
		return err
	}
	return s.watchMany(c, conv.ID)
}

func (s *server) watchAll(c echo.Context) error { return s.watchMany(c, "") }

func (s *server) watchMany(c echo.Context, conversationID string) error {
	ctx := c.Request().Context()
	watch, err := s.Runs.WatchConversation(ctx, currentUser(ctx), conversationID, after(c))
	if err != nil {
		return err
	}
	return s.stream(c, watch)
}

// after is the cursor behind which a client goes on. The header wins: a browser
// that reconnects keeps the query of its first request.
func after(c echo.Context) string {
	if id := c.Request().Header.Get("Last-Event-ID"); id != "" {
		return id
	}
	return c.QueryParam("after")
}

// stream sends events until they end, the client leaves, or it is too slow. A
// client that is cut off resumes with its last cursor.
func (s *server) stream(c echo.Context, watch *runs.Watch) error {
	defer watch.Close()
	done, err := s.streams.open(requestOf(c.Request().Context()).client, s.Live.Current().HTTP.MaxStreams)
	if err != nil {
		return err
	}
	defer done()
	s.metrics.streams.Inc()
	defer s.metrics.streams.Dec()
	header := c.Response().Header()
	header.Set("Content-Type", eventStream)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	if c.Request().Method == http.MethodHead {
		return c.NoContent(http.StatusOK)
	}
	w := &eventWriter{out: c.Response(), conn: http.NewResponseController(c.Response().Writer)}
	c.Response().WriteHeader(http.StatusOK)
	if err := w.flush(); err != nil { // the client sees that it is connected
		return nil
	}
	access, stop := s.streams.of(c.Request().Context(), currentUser(c.Request().Context()))
	defer stop()
	ctx, cancel := context.WithCancelCause(access)
	defer cancel(nil)
	if s.Stopping != nil {
		defer context.AfterFunc(s.Stopping, func() { cancel(ErrStopping) })()
	}
	if err := s.pump(ctx, watch, w); err != nil {
		s.Logger.Debug("an event stream ended", "path", c.Request().URL.Path, "reason", err)
	}
	return nil
}

// pump writes events and flushes each batch of those that are there at once.
func (s *server) pump(ctx context.Context, watch *runs.Watch, w *eventWriter) error {
	checked := time.Now()
	for {
		timeout := s.Live.Current().HTTP.Heartbeat.Std()
		if time.Since(checked) >= timeout {
			if err := s.stillAllowed(ctx); err != nil {
				return err
			}
			if err := s.stillShared(ctx, watch); err != nil {
				return err
			}
			checked = time.Now()
		}
		if w.unflushed {
			timeout = batchTimeout
		}
		waiting, cancel := context.WithTimeout(ctx, timeout)
		event, err := watch.Next(waiting)
		cancel()
		switch {
		case err == nil:
			err = w.event(event)
			if err == nil && !watch.Pending() {
				err = w.flush()
			}
		case errors.Is(err, io.EOF):
			return w.flush()
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, context.DeadlineExceeded):
			err = w.beat()
		}
		if err != nil {
			return err
		}
	}
}

// stillShared ends a stream of what another process does not share with the user any more.
func (s *server) stillShared(ctx context.Context, watch *runs.Watch) error {
	if s.Accounts == nil {
		return nil
	}
	return watch.Still(ctx)
}
