package llm

import (
	"fmt"
	"time"
)

// Codes of *Error.
const (
	CodeAuth            = "model_auth"             // the key is missing, wrong or not allowed
	CodeRateLimited     = "model_rate_limited"     // also: out of quota
	CodeContextOverflow = "model_context_overflow" // the request is longer than the context window
	CodeInvalidRequest  = "model_invalid_request"
	CodeNotFound        = "model_not_found"
	CodeUnavailable     = "model_unavailable" // no connection, 5xx, overloaded
	CodeTimeout         = "model_timeout"     // no byte for the idle time
	CodeProtocol        = "model_protocol"    // broken JSON, a stream that ended without an end
	CodeFiltered        = "model_content_filter"
)

// Error is a failed model call. Message says what happened and what a person can
// do; it never holds a key.
type Error struct {
	Code       string
	Message    string
	Model      string        // id of the configured model
	Status     int           // HTTP status, 0 where there is none
	RetryAfter time.Duration // what the provider asked for, 0: nothing
	Retryable  bool          // the same request may go through later
	Err        error
}

func (e *Error) Error() string {
	if e.Model == "" {
		return e.Message
	}
	return fmt.Sprintf("model %s: %s", e.Model, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// ErrorCode is the code that a failed run carries.
func (e *Error) ErrorCode() string { return e.Code }
