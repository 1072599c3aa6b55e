package workspace

import "fmt"

// Code says why a file operation failed. Callers decide on it; texts are for people.
type Code string

// The codes of failed file operations.
const (
	CodeAccessDenied  Code = "access_denied"   // the path leaves the project, or is not for tools
	CodeNotFound      Code = "not_found"       // nothing is there
	CodeNotAFile      Code = "not_a_file"      // a directory or a special file where a file is needed
	CodeNotADirectory Code = "not_a_directory" // a file where a directory is needed
	CodeTooLarge      Code = "too_large"       // over the limit of one file
	// over the project's number of files or bytes, or the disk is full
	CodeQuotaExceeded      Code = "quota_exceeded"
	CodeAlreadyExists      Code = "already_exists"      // something is there already
	CodeInvalidArgument    Code = "invalid_arguments"   // the call makes no sense as it is
	CodePreconditionFailed Code = "precondition_failed" // the file is not the version that the caller expected
	CodeInternal           Code = "internal"            // the disk or the store behind it failed
	CodeUnavailable        Code = "unavailable"         // the store that holds the files is away
)

// Error is a failed file operation. Message is for the model and for people: it
// says what to do and never shows a path of the host.
type Error struct {
	Code    Code
	Path    string // as the caller gave it
	Message string
	Err     error // what the system said, where it said something
}

// Errorf makes an Error without a cause.
func Errorf(code Code, path, format string, args ...any) *Error {
	return &Error{Code: code, Path: path, Message: fmt.Sprintf(format, args...)}
}

// Error is the message, led by the path where there is one.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return fmt.Sprintf("%q: %s", e.Path, e.Message)
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorCode is the code as the tools and the API answer with it.
func (e *Error) ErrorCode() string { return string(e.Code) }
