// Package wire is what the interfaces of other protocols share over HTTP: what they need
// of the server, streams of server-sent events, and the following of a run. It knows no
// protocol.
package wire

import (
	"context"
	"errors"
	"log/slog"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
)

// Host is what an interface needs of the server; all fields are needed.
type Host struct {
	Store  *store.Store
	Runs   *runs.Service
	Live   *config.Live
	Models interface {
		List() []llm.Info
	}
	// User is whose request it is.
	User func(ctx context.Context) string
	// Problem says how an error is shown, and logs what clients are not told.
	Problem func(ctx context.Context, err error) (status int, code, message string)
	// OpenStream counts an answer that is streamed, against the limit of its client.
	OpenStream func(ctx context.Context) (done func(), err error)
	// Allowed ends an answer whose access another process has ended.
	Allowed func(ctx context.Context) error
	// Person refuses a decision that a tool may have made.
	Person  func(ctx context.Context) error
	Logger  *slog.Logger
	Version string
}

// RequestError is a mistake in a request.
type RequestError struct {
	Status        int
	Code, Message string
	Field         string // that is wrong; empty: none by itself
}

func (e *RequestError) Error() string { return e.Message }

// Explain says how an error is shown: a RequestError as it is, others as the API shows them.
func (h Host) Explain(ctx context.Context, err error) (status int, code, message string) {
	var own *RequestError
	if errors.As(err, &own) {
		return own.Status, own.Code, own.Message
	}
	return h.Problem(ctx, err)
}
