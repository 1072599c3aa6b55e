package app

import (
	"context"
	"sync"
	"time"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// CommandEvent is the end of a command or of Python code (SH9).
type CommandEvent struct {
	Tool           string // shell_execute or execute_python
	Policy         string // sandbox, docker or host
	UserID         string
	ProjectID      string
	ConversationID string
	RunID          string
	AgentPath      string
	Duration       time.Duration
	Outcome        CommandOutcome
	ExitCode       int      // of a command
	Limits         []string // resource limits that were met: memory, processes, cpu_time, file_size
	Err            error    // with CommandFailed; else nil
}

// CommandOutcome is how it ended.
type CommandOutcome string

// The outcomes. A command whose status is not zero, and an exception, are
// CommandEnded all the same.
const (
	CommandEnded     CommandOutcome = "ended"
	CommandTimedOut  CommandOutcome = "timeout"
	CommandCancelled CommandOutcome = "cancelled"
	CommandFailed    CommandOutcome = "failed" // it could not be run
)

// CommandObserver is told of every end. It must not block.
type CommandObserver interface{ CommandEnded(CommandEvent) }

// commandObservers are those that are told.
type commandObservers struct {
	mu  sync.Mutex
	all []CommandObserver
}

// ObserveCommands lets an observer be told of every command and every piece of
// Python code that has ended from now on.
func (a *App) ObserveCommands(o CommandObserver) error {
	s, err := services.Get(a.located, sandboxServicesKey)
	if err != nil {
		return err
	}
	s.observers.add(o)
	return nil
}

func (o *commandObservers) add(one CommandObserver) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, one)
}

func (o *commandObservers) tell(call tools.Call, policy string, began time.Time, outcome CommandOutcome, exitCode int, limits []string, err error) {
	o.mu.Lock()
	all := o.all
	o.mu.Unlock()
	if len(all) == 0 {
		return
	}
	event := CommandEvent{
		Tool: call.Tool, Policy: policy, UserID: call.UserID, ProjectID: call.ProjectID, ConversationID: call.ConversationID, RunID: call.RunID,
		AgentPath: call.AgentPath, Duration: time.Since(began), Outcome: outcome, ExitCode: exitCode, Limits: limits, Err: err,
	}
	for _, one := range all {
		one.CommandEnded(event)
	}
}

func commandOutcome(timedOut, cancelled bool, err error) CommandOutcome {
	switch {
	case err != nil:
		return CommandFailed
	case timedOut:
		return CommandTimedOut
	case cancelled:
		return CommandCancelled
	}
	return CommandEnded
}

// overQuota says that a project has more files than it may; nil: nobody can tell.
func (s *sandboxServices) overQuota(projectID string) func(context.Context) error {
	quota, ok := s.projects.(interface {
		CheckQuota(ctx context.Context, projectID string, fresh bool) error
	})
	if !ok || projectID == "" {
		return nil
	}
	return func(ctx context.Context) error { return quota.CheckQuota(ctx, projectID, true) }
}
