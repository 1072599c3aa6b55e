package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gorm.io/gorm"
)

// Codes of *Error.
const (
	CodeNotFound            = "not_found"
	CodeConflict            = "conflict"
	CodePreconditionFailed  = "precondition_failed"  // the expected version is not the stored one
	CodeInvalidArgument     = "invalid_arguments"    // a cursor, a limit, a tree that is none
	CodeIdempotencyMismatch = "idempotency_mismatch" // the key came with another request before
	CodeForeignDatabase     = "foreign_database"     // another program's tables are in it
	CodeDatabaseTooNew      = "database_too_new"     // a newer program wrote the database
	CodeStorageFull         = "storage_full"         // the disk of the database is full
	CodeForbidden           = "forbidden"            // a member of a project may look, but not do this
	CodeUnavailable         = "database_unavailable" // the database server does not answer
)

// Error is a failure that a caller decides on. Message is for people, names what
// was asked and ends without a full stop.
type Error struct {
	Code    string
	Message string
	cause   error
	unsure  bool // a commit that was not answered: it may have been done
}

// NotStored says whether a transaction failed because the database is unavailable, and
// certainly left nothing behind: it can be repeated.
func NotStored(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodeUnavailable && !e.unsure
}

func (e *Error) Error() string { return e.Message }

// ErrorCode is Code.
func (e *Error) ErrorCode() string { return e.Code }

// Unwrap is the database's own error where there was one.
func (e *Error) Unwrap() error { return e.cause }

// IsCode says whether err is or wraps an *Error with the code.
func IsCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

func notFound(what, id string) *Error {
	return &Error{Code: CodeNotFound, Message: fmt.Sprintf("there is no %s %s", what, id)}
}

func invalid(format string, args ...any) *Error {
	return &Error{Code: CodeInvalidArgument, Message: fmt.Sprintf(format, args...)}
}

func conflict(format string, args ...any) *Error {
	return &Error{Code: CodeConflict, Message: fmt.Sprintf(format, args...)}
}

// found turns gorm's "record not found" into not_found and wraps the rest.
func found(err error, what, id string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gorm.ErrRecordNotFound):
		return notFound(what, id)
	}
	return fmt.Errorf("read %s %s: %w", what, id, err)
}

// coded gives a violated unique index the code conflict, and a write that a full
// disk prevented the code storage_full; other errors stay as they are.
func coded(err error) error {
	var e *Error
	switch {
	case err == nil || errors.As(err, &e):
		return err
	case errors.Is(err, gorm.ErrDuplicatedKey):
		return &Error{Code: CodeConflict, Message: err.Error(), cause: err}
	case errors.Is(err, errFull):
		return &Error{Code: CodeStorageFull, cause: err,
			Message: "the disk of the database is full, so nothing can be stored: make room on it, then everything " +
				"continues by itself"}
	}
	return err
}

// errFull says that a write failed because the disk is full.
var errFull = errors.New("the disk is full")

// stopped makes the error of a transaction that its context ended wrap that
// context's error: database/sql may have rolled it back already and knows at the
// commit only that it is over. Where it was cancelled its connection may have been closed in
// the middle: that is no outage.
func stopped(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil && (errors.Is(err, sql.ErrTxDone) || IsCode(err, CodeUnavailable)) {
		if errors.Is(ended, context.Canceled) {
			return fmt.Errorf("%w: %v", ended, err)
		}
		return fmt.Errorf("%w: %w", ended, err)
	}
	return err
}
