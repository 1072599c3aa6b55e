package tools

import (
	"context"
	"errors"

	"nanoclaw/internal/services"
)

// ErrSuspended is what a tool that Resumes or Awaits returns when it cannot end yet because
// a sub-agent of it waits for an approval: the call stays open and is entered
// again with the same arguments.
var ErrSuspended = errors.New("the call cannot end yet: it waits for a person or for its client")

// SubAgentsKey finds the service that runs sub-agents.
var SubAgentsKey = services.NewKey[SubAgents]("sub_agents")

// SubAgents runs sub-agents for a tool call.
type SubAgents interface {
	// MaxTasks is how many tasks one call may have.
	MaxTasks() int

	// FanOut runs the tasks under the configured limits and waits for them all.
	// The results keep the tasks' order and one failing task never fails the
	// others. Entered again with the same call, it finds the sub-agents that it
	// made. The error is an *Error for tasks that cannot be run as they are,
	// ErrSuspended, ErrUnfinished, or the end of ctx.
	FanOut(ctx context.Context, call Call, tasks []SubTask) ([]SubResult, error)
}

// SubTask is what one sub-agent is asked to do.
type SubTask struct {
	Name        string
	Instruction string
	Tools       []string // names; empty: every tool that the parent has
}

// SubResult is what one sub-agent answers. Response may stand beside an error:
// what there was when it failed.
type SubResult struct {
	TaskName   string
	RunID      string
	Success    bool
	Response   string
	Error      string
	Code       string
	Incomplete bool // its rounds with tools were used up, or it was cut off
}
