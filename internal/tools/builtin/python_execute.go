package builtin

import (
	"context"
	_ "embed"
	"fmt"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed python_execute.md
var executePythonDoc string

func init() {
	// The code has a time limit of its own, by its level, so that its output is kept.
	tools.Register(tools.Define("execute_python", executePythonDoc, executePython,
		tools.Category("code"), tools.Effect(tools.Writes), tools.Timeout(-1), tools.AnyFile(),
		tools.Tailor(func(_ context.Context, call tools.Call, shape *tools.Shape) bool {
			python, err := services.Get(call.Services, tools.PythonKey)
			if err == nil {
				shape.Enum("strictness", python.Levels()...)
			}
			return err == nil
		}),
		tools.ReadOn("print less, or a part at a time")))
}

type executePythonArgs struct {
	Code       string `json:"code" jsonschema:"Python 3 source" minLength:"1"`
	Strictness string `json:"strictness,omitempty" jsonschema:"what the code may do; default: as configured" enum:"lenient,standard,strict"`

	ProjectID string `json:"project_id,omitempty" inject:"project_id"`
}

type executePythonResult struct {
	Stdout     string  `json:"stdout"`
	Stderr     string  `json:"stderr"`
	Value      string  `json:"value,omitempty"` // repr of a last expression
	Error      string  `json:"error,omitempty"`
	Traceback  string  `json:"traceback,omitempty"`
	Strictness string  `json:"strictness"`
	Duration   float64 `json:"duration"` // seconds
	TimedOut   bool    `json:"timed_out,omitempty"`
	Dropped    int64   `json:"dropped_bytes,omitempty"` // missing in the middle of stdout and stderr

	Limits []string `json:"limits,omitempty"` // that the code met: time, memory, processes, file_size, output

	Attachments []tools.Attachment `json:"attachments,omitempty"` // figures
	Note        string             `json:"note,omitempty"`
}

// codePythonError is an exception in the code.
const codePythonError = "python_error"

func executePython(ctx context.Context, call tools.Call, args executePythonArgs) (executePythonResult, error) {
	python, err := services.Get(call.Services, tools.PythonKey)
	if err != nil {
		return executePythonResult{}, err
	}
	done, err := python.Run(ctx, call, tools.PythonCode{Source: args.Code, Strictness: args.Strictness})
	if err != nil {
		return executePythonResult{}, err
	}
	result := executePythonResult{
		Stdout: done.Stdout, Stderr: done.Stderr, Value: done.Value, Error: done.Error, Traceback: done.Traceback,
		Strictness: done.Strictness,
		Duration:   done.Duration.Seconds(), TimedOut: done.TimedOut, Dropped: done.StdoutDropped + done.StderrDropped,
		Attachments: done.Attachments, Limits: done.Limits,
	}
	if done.LeftOut > 0 {
		result.Note = fmt.Sprintf(
			"%d figures are not attached: too many or too large, or there is no project to keep them in", done.LeftOut)
	}
	switch {
	case done.TimedOut:
		return result, &tools.Error{Code: tools.CodeTimeout, Data: result, Message: "the code did not end within " +
			done.Timeout.String() + ", the limit of level " + done.Strictness + ", and was stopped"}
	case done.Cancelled:
		return result, &tools.Error{Code: tools.CodeCancelled, Data: result,
			Message: "the code was stopped before it ended"}
	case done.Blocked:
		return result, &tools.Error{Code: tools.CodeBlocked, Data: result, Message: done.Error}
	case done.Error != "":
		return result, &tools.Error{Code: codePythonError, Data: result, Message: done.Error}
	}
	return result, nil
}
