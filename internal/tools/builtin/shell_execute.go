package builtin

import (
	"context"
	_ "embed"
	"time"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed shell_execute.md
var shellExecuteDoc string

func init() {
	// The command has a time limit of its own, so that its output is kept.
	tools.Register(tools.Define("shell_execute", shellExecuteDoc, shellExecute,
		tools.Category("shell"), tools.Effect(tools.Writes), tools.Timeout(-1), tools.AnyFile(),
		tools.Preflight(func(_ context.Context, _ tools.Call, args shellExecuteArgs) error { return args.check() }),
		tools.ReadOn("write the output to a file and read parts of it with file_read or file_grep")))
}

type shellExecuteArgs struct {
	Command string  `json:"command,omitempty" jsonschema:"command line; may be empty with restart"`
	Timeout float64 `json:"timeout,omitempty" jsonschema:"time limit in seconds; default: as configured" minimum:"0.1" maximum:"86400"`
	Cwd     string  `json:"cwd,omitempty" access:"list" jsonschema:"directory of the project to change to first; the session stays there"`
	Restart bool    `json:"restart,omitempty" jsonschema:"begin a new session; ends all that runs in the old one"`

	ProjectID string `json:"project_id,omitempty" inject:"project_id"`
}

func (a shellExecuteArgs) check() error {
	if a.Command == "" && !a.Restart {
		return tools.Errorf(tools.CodeInvalidArguments, "command is empty: give a command line, or restart: true")
	}
	return nil
}

type shellExecuteResult struct {
	ExitCode  int            `json:"exit_code"`
	Stdout    string         `json:"stdout"`
	Stderr    string         `json:"stderr"`
	Cwd       string         `json:"cwd"`
	Duration  float64        `json:"duration"` // seconds
	TimedOut  bool           `json:"timed_out"`
	Truncated shellTruncated `json:"truncated"`
	Limits    []string       `json:"limits,omitempty"` // that the command met
	Note      string         `json:"note,omitempty"`
}

// shellTruncated is how many bytes are missing in the middle of the output.
type shellTruncated struct {
	StdoutBytes int64  `json:"stdout_bytes"`
	StderrBytes int64  `json:"stderr_bytes"`
	StdoutFile  string `json:"stdout_file,omitempty"` // the whole output, for file_read and file_grep
	StderrFile  string `json:"stderr_file,omitempty"`
}

func shellExecute(ctx context.Context, call tools.Call, args shellExecuteArgs) (shellExecuteResult, error) {
	shell, err := services.Get(call.Services, tools.ShellKey)
	if err != nil {
		return shellExecuteResult{}, err
	}
	if err := args.check(); err != nil {
		return shellExecuteResult{}, err
	}
	done, err := shell.Execute(ctx, call, tools.ShellCommand{
		Line: args.Command, Dir: args.Cwd, Timeout: time.Duration(args.Timeout * float64(time.Second)),
		Restart: args.Restart,
	})
	if err != nil {
		return shellExecuteResult{}, err
	}
	result := shellExecuteResult{
		ExitCode: done.ExitCode, Stdout: done.Stdout, Stderr: done.Stderr, Cwd: done.Dir,
		Duration: done.Duration.Seconds(), TimedOut: done.TimedOut, Limits: done.Limits,
		Truncated: shellTruncated{StdoutBytes: done.StdoutDropped, StderrBytes: done.StderrDropped,
			StdoutFile: done.StdoutFile, StderrFile: done.StderrFile},
	}
	switch {
	case done.TimedOut:
		return result, &tools.Error{Code: tools.CodeTimeout, Data: result,
			Message: "the command did not end within " + done.Timeout.String() +
				" and was stopped with all that it had started; the session begins anew. Give it more time, or put " +
				"it in the background with its output in a file"}
	case done.Cancelled:
		return result, &tools.Error{Code: tools.CodeCancelled, Data: result,
			Message: "the command was stopped before it ended"}
	case done.Restarted:
		result.Note = "the command ended the shell: the next one runs in a new shell, and background jobs are gone"
	}
	return result, nil
}
