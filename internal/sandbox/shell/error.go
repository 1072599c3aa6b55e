package shell

import (
	"fmt"
)

// DirectoryError says that a command did not run, since its directory cannot be used.
type DirectoryError struct{ Dir, Reason string }

func (e *DirectoryError) Error() string {
	return fmt.Sprintf("the command did not run: cwd %q cannot be used: %s", e.Dir, e.Reason)
}

// ErrorCode is the code that a tool call answers with.
func (e *DirectoryError) ErrorCode() string { return "invalid_arguments" }

// StartupError says that a startup command left no shell to run anything in.
type StartupError struct{ Line, Reason string }

func (e *StartupError) Error() string {
	return fmt.Sprintf("the shell cannot be used: the startup command %q (shell.startup_commands) %s", e.Line, e.Reason)
}

// ErrorCode is the code that a tool call answers with.
func (e *StartupError) ErrorCode() string { return "unavailable" }
