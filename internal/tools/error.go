package tools

import (
	"context"
	"errors"
	"fmt"
)

// Codes of failed calls. The codes of file operations are those of package workspace.
const (
	CodeInvalidArguments = "invalid_arguments"
	CodeUnknownTool      = "unknown_tool"
	CodeTimeout          = "timeout"
	CodeCancelled        = "cancelled"
	CodeDenied           = "denied"  // a person or an approval's expiry said no
	CodeBlocked          = "blocked" // a rule or a permission said no
	// CodeUnresolvedPlaceholder: the arguments hold what stands for a redacted secret,
	// and the secret cannot be put in its place.
	CodeUnresolvedPlaceholder = "unresolved_placeholder"
	CodeOutcomeUnknown        = "outcome_unknown"
	CodeUnavailable           = "unavailable" // a service or engine that the tool needs is not there
	CodeInternal              = "internal"
)

// Error is a tool's own failure. Message is for the model: it says what to do.
// Data is optional and goes into the result beside the error (partial output, a traceback).
type Error struct {
	Code    string
	Message string
	Data    any
}

// ErrUnfinished says, perhaps wrapped, that a call stops early because its run goes on
// elsewhere: the server is shutting down, or another worker has the run. It is what a tool
// returns, or the cause of its context's end. The call stays open and nothing is recorded:
// a later attempt enters it again or, where it Writes, finds that its outcome is unknown.
var ErrUnfinished = errors.New("the call was stopped and is left to whoever goes on with the run")

// Errorf makes an Error.
func Errorf(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string { return e.Message }

// ErrorCode is the code that the call answers with.
func (e *Error) ErrorCode() string { return e.Code }

// CodeOf finds the code of any error: that of the first error in the chain with
// a method ErrorCode() string, else timeout or cancelled for the context's errors,
// else internal.
func CodeOf(err error) string {
	var coded interface{ ErrorCode() string }
	switch {
	case errors.As(err, &coded):
		return coded.ErrorCode()
	case errors.Is(err, context.DeadlineExceeded):
		return CodeTimeout
	case errors.Is(err, context.Canceled):
		return CodeCancelled
	}
	return CodeInternal
}
