package tools

import (
	"context"
	"time"

	"nanoclaw/internal/services"
)

// ShellKey finds what runs shell commands.
var ShellKey = services.NewKey[Shell]("shell")

// Shell runs commands in the session of a conversation and agent.
type Shell interface {
	// Execute runs one command. A non-zero exit status and a command that ran out
	// of time are results; a command that may not run is an error with the code
	// blocked, a missing engine one with unavailable.
	Execute(ctx context.Context, call Call, command ShellCommand) (ShellResult, error)
}

// ShellCommand is one command line.
type ShellCommand struct {
	Line    string
	Dir     string        // to change to first, relative to the project; empty: stay
	Timeout time.Duration // 0: the configured one
	Restart bool          // begin with a new shell; Line may be empty then
}

// ShellResult is how a command ended.
type ShellResult struct {
	ExitCode      int
	Stdout        string
	Stderr        string
	Dir           string // working directory behind the command
	Duration      time.Duration
	TimedOut      bool
	Timeout       time.Duration // that held
	Cancelled     bool
	Restarted     bool  // the next command has a new shell
	StdoutDropped int64 // bytes left out of the middle
	StderrDropped int64
	StdoutFile    string // path in the project of the whole output, where bytes were left out; empty: none
	StderrFile    string
	Limits        []string // that the command met: time, memory, processes, cpu_time, file_size, output
}

// PythonKey finds what runs Python code.
var PythonKey = services.NewKey[Python]("python")

// Python runs code in an interpreter of its own.
type Python interface {
	// Levels are the levels of strictness that a call may ask for, the loosest first.
	Levels() []string

	// Run runs code once. An exception in it is a result. A level that is looser
	// than configured is an error with the code blocked; where Python cannot be
	// isolated it is unavailable.
	Run(ctx context.Context, call Call, code PythonCode) (PythonResult, error)
}

// PythonCode is what to run.
type PythonCode struct {
	Source     string
	Strictness string // lenient | standard | strict; empty: the configured default
}

// PythonResult is what the code did.
type PythonResult struct {
	Strictness    string
	Stdout        string
	Stderr        string
	Value         string // of a last expression, as repr; empty: none, or None
	Error         string // the exception, its type first; empty: none
	Traceback     string // with line numbers of the code
	Blocked       bool   // the error is a module or builtin that the level forbids
	TimedOut      bool
	Timeout       time.Duration // that held
	Cancelled     bool
	Duration      time.Duration
	StdoutDropped int64 // bytes left out of the middle
	StderrDropped int64
	Attachments   []Attachment // pictures that the code made
	LeftOut       int          // pictures that are too many or too large
	Limits        []string     // that the code met: time, memory, processes, file_size, output
}

// Attachment is a file that a call made for the user to look at. It lies in the
// project.
type Attachment struct {
	Name        string `json:"name"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"` // bytes
	Path        string `json:"path"` // in the project
}
