package store

import "fmt"

// checkVersion compares the version that a caller expects (0: any) with the stored one.
func checkVersion(what, id string, expected, stored int64) error {
	if expected == 0 || expected == stored {
		return nil
	}
	return &Error{Code: CodePreconditionFailed, Message: fmt.Sprintf(
		"%s %s was changed meanwhile: it has version %d, not %d; read it again", what, id, stored, expected)}
}
