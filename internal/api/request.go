package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/labstack/echo/v4"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/store"
	"nanoclaw/internal/telemetry"
	"nanoclaw/internal/workspace"
)

type requestKey struct{}

// request is what is known of a request from its first moment on.
type request struct {
	id            string
	user          string
	client        string // address that limits hold for: the proxy's client
	remote        string // address of the connection
	decisionToken string
	userAgent     string
	identity      *accounts.Identity // of auth_mode multi; nil: nobody has signed in
	transport     error              // why no password may be sent over this connection
	conversation  string             // whose files are meant, where conversations do not share them
	agent         string             // profile whose files are meant
	logger        *slog.Logger
}

func requestOf(ctx context.Context) request {
	r, ok := ctx.Value(requestKey{}).(request)
	if !ok {
		return request{logger: slog.Default()}
	}
	return r
}

// identify gives every request an id, which the answer and the log carry.
func (s *server) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := request{
			id: store.NewID(), client: c.RealIP(), logger: s.Logger, remote: c.Request().RemoteAddr,
			decisionToken: c.Request().Header.Get(decisionTokenHeader), userAgent: c.Request().UserAgent(),
			conversation: c.QueryParam("conversation"), agent: c.QueryParam("agent"),
		}
		c.Response().Header().Set("X-Request-Id", r.id)
		r.transport = s.checkTransport(c.Request())
		err := s.authenticate(&r, c.Request())
		ctx := context.WithValue(c.Request().Context(), requestKey{}, r)
		// Whose conversation the query names is looked at where files are opened.
		ctx = workspace.WithAccess(ctx, workspace.Access{UserID: r.user, AgentID: r.agent})
		if traceparent := c.Request().Header.Get("traceparent"); traceparent != "" {
			ctx = telemetry.Incoming(ctx, traceparent)
		}
		c.SetRequest(c.Request().WithContext(ctx))
		if err != nil {
			c.Error(err)
			return nil
		}
		return next(c)
	}
}

// guardPanics answers a panic with 500 and tells the log where it was. An answer
// that had begun is cut off, so that the client does not take it for whole.
func (s *server) guardPanics(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			r := recover()
			if r == nil {
				return
			}
			if r == http.ErrAbortHandler {
				panic(r)
			}
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
			if c.Response().Committed {
				s.Logger.Error("request failed", "request_id", requestOf(c.Request().Context()).id, "error", err)
				panic(http.ErrAbortHandler)
			}
		}()
		return next(c)
	}
}

// logAccess tells of every request at level debug.
func (s *server) logAccess(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !s.Logger.Enabled(c.Request().Context(), slog.LevelDebug) {
			return next(c)
		}
		begun := time.Now()
		err := next(c) // nil: measure has answered it
		s.Logger.Debug("request", "method", c.Request().Method, "path", c.Request().URL.Path, "status",
			c.Response().Status,
			"bytes", c.Response().Size, "duration", time.Since(begun), "request_id",
			requestOf(c.Request().Context()).id)
		return err
	}
}

// answerError is Echo's error handler: problem+json for whatever failed.
func (s *server) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		if !errors.Is(err, context.Canceled) {
			s.Logger.Error("an answer could not be finished", "path", c.Request().URL.Path, "error", err)
		}
		return
	}
	problem := *problemOf(err)
	finishProblem(c.Request().Context(), &problem)
	maps.Copy(c.Response().Header(), problem.GetHeaders())
	if m := s.mountOf(c.Request().URL.Path); m != nil && m.refuse != nil {
		m.refuse(c.Response(), problem.Status, problem.Code, problem.Detail)
		return
	}
	body, err := json.Marshal(problem)
	if err != nil {
		s.Logger.Error("a problem could not be encoded", "error", err)
		body = []byte(`{}`)
	}
	header := c.Response().Header()
	header.Set("Content-Type", problem.ContentType(""))
	header.Set("Cache-Control", "no-store")
	for _, of := range []string{"Content-Disposition", "Content-Encoding", "ETag"} {
		header.Del(of) // they were meant for the answer that failed
	}
	c.Response().WriteHeader(problem.Status)
	if c.Request().Method != http.MethodHead {
		// A client that is gone is nobody's error.
		_, _ = c.Response().Write(append(body, '\n'))
	}
}

// ErrStopping is the cause of the end of a request that the server's own end cuts short.
var ErrStopping = errors.New("the server is shutting down")

// finishProblem gives a problem the request's id, and the log what the client is
// not told. It tells a client that left from a server that does.
func finishProblem(ctx context.Context, p *Problem) {
	if p.Code == codeCancelled && errors.Is(context.Cause(ctx), ErrStopping) {
		*p = *newProblem(http.StatusServiceUnavailable, "unavailable",
			"the server is shutting down: try again, here once it has started, or at another one")
	}
	r := requestOf(ctx)
	p.RequestID = r.id
	if p.cause != nil {
		r.logger.Error("request failed", "request_id", r.id, "error", p.cause)
	}
}
