package workspace

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
)

// diskError turns what the system said into an *Error. Errors that have a code
// already, and the context's, pass as they are.
func diskError(path string, err error) error {
	var own *Error
	var caller *callerError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &caller):
		return caller.err
	case errors.As(err, &own), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	code, message := explain(err)
	return &Error{Code: code, Path: path, Message: message, Err: err}
}

// callerError carries an error of the caller's own function or stream, which
// comes back as it is.
type callerError struct{ err error }

func (e *callerError) Error() string { return e.err.Error() }

func explain(err error) (Code, string) {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return CodeQuotaExceeded, "the disk is full"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return CodeInvalidArgument, "a name in the path is too long"
	case errors.Is(err, syscall.EILSEQ):
		return CodeInvalidArgument, "the file system cannot hold this name"
	case errors.Is(err, syscall.ENOTDIR):
		return CodeNotADirectory, "a name in the path is a file, not a directory"
	case errors.Is(err, syscall.EISDIR):
		return CodeNotAFile, "it is a directory, not a file"
	case errors.Is(err, syscall.ELOOP):
		return CodeAccessDenied, "the symbolic links of the path lead nowhere"
	case errors.Is(err, syscall.EROFS):
		return CodeAccessDenied, "the file system is read-only"
	case errors.Is(err, syscall.EXDEV):
		return CodeInvalidArgument, "the two places are on different file systems"
	case errors.Is(err, fs.ErrPermission):
		return CodeAccessDenied, "the operating system denies access"
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTEMPTY):
		return CodeAlreadyExists, "something is there already"
	case errors.Is(err, fs.ErrNotExist):
		return CodeNotFound, "there is no such file or directory"
	case errors.Is(err, errSwapped):
		return CodeAccessDenied, "the path keeps changing while it is opened"
	case leftRoot(err):
		return CodeAccessDenied, "the path leaves the project"
	}
	return CodeInternal, "the disk failed: " + systemText(err)
}

// leftRoot recognises the error of os.Root, which the os package does not export.
func leftRoot(err error) bool {
	return err != nil && systemText(err) == "path escapes from parent"
}

// systemText is the innermost error's text: the outer ones name paths of the host.
func systemText(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// IsCode says whether err is an *Error with this code.
func IsCode(err error, code Code) bool {
	var own *Error
	return errors.As(err, &own) && own.Code == code
}
