package tools

import (
	"context"

	"nanoclaw/internal/services"
)

// TasksKey finds the service of background tasks.
var TasksKey = services.NewKey[Tasks]("background_tasks")

// Tasks are agents that work in the background: each in a run of its own, which outlives
// the turn that submitted it. Errors are of type *Error, ErrLost of package agent, or the
// end of ctx. Every method knows the tasks of the call's conversation alone.
type Tasks interface {
	// MaxActive is how many tasks of a conversation may be at work; 0: none can be submitted.
	MaxActive() int

	// Submit starts a task. Entered again with the same call, it finds the one that it
	// made. An empty agent is the caller's own.
	Submit(ctx context.Context, call Call, agent, instruction string) (TaskState, error)

	// Check says how a task is, and its answer.
	Check(ctx context.Context, call Call, id string) (TaskState, error)

	// Cancel stops a task. One that has ended stays as it is.
	Cancel(ctx context.Context, call Call, id string) (TaskState, error)
}

// TaskState is how a background task is.
type TaskState struct {
	ID         string `json:"task_id"`
	Name       string `json:"name"`
	Agent      string `json:"agent"`
	Status     string `json:"status"`             // of its run
	Response   string `json:"response,omitempty"` // what it said, so far where it has not ended
	Calls      int    `json:"tool_calls"`         // so far
	Incomplete bool   `json:"incomplete,omitempty"`
	Error      string `json:"error,omitempty"`
}
