package programs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// Kinds of anomalies of commands (SH9).
const (
	anomalyTimeout = "timeout"
	anomalyFailure = "failure"
	anomalyLimit   = "resource_limit"
)

// watch stands around everything that runs programs in a project.
type watch struct{ service *Service }

// watchEvery is how often the size of a project is looked at while a program runs
// in it; counting takes at most a small share of the time.
const watchEvery = 500 * time.Millisecond

// run runs a program under watch: do is handed a context that ends when the
// project goes over its quota. over is that error, with which do's own result does
// not matter any more. note is what the model is told of the project behind it.
func (w watch) run(ctx context.Context, call tools.Call, do func(context.Context)) (note string, over error) {
	visit, err := w.service.Projects.Enter(ctx, call.ProjectID)
	if err != nil {
		return "", err
	}
	leave := func(context.Context) {}
	if w.service.Changes != nil {
		leave = w.service.Changes.Command(ctx, actorOf(call), call.ProjectID)
	}
	running, stop := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-running.Done():
				return
			case <-tick.C:
			}
			if err := w.service.Projects.CheckQuota(running, call.ProjectID,
				true); tools.CodeOf(err) == quotaExceeded &&
				running.Err() == nil {
				stop(err)
				return
			}
		}
	}()
	do(running)
	stop(nil)
	<-watched
	cause := context.Cause(running)
	stopped := tools.CodeOf(cause) == quotaExceeded
	note = w.leave(ctx, call, visit, stopped)
	leave(ctx)
	if stopped {
		return note, tools.Errorf(quotaExceeded, "it was stopped: %v", cause)
	}
	return note, nil
}

// leave tells people and models what a program left that it may not: too much, or
// files with denied names. That it was stopped for it is told already.
func (w watch) leave(ctx context.Context, call tools.Call, visit *workspace.Visit, stopped bool) (note string) {
	left, err := visit.Leave(context.WithoutCancel(ctx), actorOf(call))
	if err != nil {
		w.service.Logger.Error("what a program left in a project could not be looked at", "project", call.ProjectID,
			"error", err)
		w.anomaly(call, anomalyFailure, "what it left in the project could not be looked at: "+err.Error())
		note += fmt.Sprintf("\n[What this left in the project could not be looked at: %v]\n", err)
	}
	if len(left.Removed) > 0 {
		note += fmt.Sprintf(
			"\n[These files were moved to the trash, since the configuration denies such names: %s. Use other names]\n",
			named(left.Removed))
	}
	if len(left.Large) > 0 {
		note += fmt.Sprintf("\n[These files are over the size limit of a file (workspace.max_file_size), so that file "+
			"tools cannot change them: %s. Make them smaller, or split them]\n", named(left.Large))
	}
	if left.Over != nil && !stopped {
		w.anomaly(call, anomalyLimit, left.Over.Error())
		note += fmt.Sprintf("\n[%v. Until there is room, whatever adds to the project is stopped]\n", left.Over)
	}
	return note
}

// named are the first of some files.
func named(files []string) string {
	names := strings.Join(files[:min(len(files), namedFiles)], ", ")
	if more := len(files) - namedFiles; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return names
}

// namedFiles is how many files a note names.
const namedFiles = 20

const quotaExceeded = string(workspace.CodeQuotaExceeded)

func (w watch) anomaly(call tools.Call, kind, detail string) {
	if w.service.Anomaly != nil {
		w.service.Anomaly(call, kind, detail)
	}
}

// refused says whether a call was not run at all: somebody decided that, or stopped
// it, so that nothing is wrong.
func refused(err error) bool {
	switch tools.CodeOf(err) {
	case tools.CodeBlocked, tools.CodeDenied, tools.CodeInvalidArguments, tools.CodeCancelled:
		return true
	}
	return errors.Is(err, context.Canceled)
}

func (w watch) failed(call tools.Call, err error) {
	switch {
	case tools.CodeOf(err) == quotaExceeded:
		w.anomaly(call, anomalyLimit, err.Error())
	case !refused(err):
		w.anomaly(call, anomalyFailure, err.Error())
	}
}

// met tells of resource limits that a program met.
func (w watch) met(call tools.Call, limits []string) {
	// Time is another kind of anomaly, and long output is none.
	limits = slices.DeleteFunc(slices.Clone(limits), func(limit string) bool {
		return limit == "time" ||
			limit == "output"
	})
	if len(limits) > 0 {
		w.anomaly(call, anomalyLimit, "it met a limit: "+strings.Join(limits, ", "))
	}
}

// watchedShell is a shell under watch.
type watchedShell struct {
	watch
	inner tools.Shell
}

// Execute implements tools.Shell.
func (s watchedShell) Execute(ctx context.Context, call tools.Call,
	command tools.ShellCommand) (result tools.ShellResult, err error) {
	note, over := s.run(ctx, call, func(ctx context.Context) { result, err = s.inner.Execute(ctx, call, command) })
	switch {
	case over != nil:
		s.failed(call, over)
		return tools.ShellResult{}, over
	case err != nil:
		s.failed(call, err)
		return result, err
	case result.TimedOut:
		s.anomaly(call, anomalyTimeout, "a command did not end within "+result.Timeout.String())
	case result.ExitCode != 0 && !result.Cancelled && s.service.Live.Current().Shell.FailedExit:
		s.anomaly(call, anomalyFailure, fmt.Sprintf("a command ended with status %d", result.ExitCode))
	}
	s.met(call, result.Limits)
	result.Stderr += note
	return result, nil
}

// watchedPython is Python under watch.
type watchedPython struct {
	watch
	inner tools.Python
}

// Levels implements tools.Python.
func (p watchedPython) Levels() []string { return p.inner.Levels() }

// Run implements tools.Python.
func (p watchedPython) Run(ctx context.Context, call tools.Call,
	code tools.PythonCode) (result tools.PythonResult, err error) {
	note, over := p.run(ctx, call, func(ctx context.Context) { result, err = p.inner.Run(ctx, call, code) })
	switch {
	case over != nil:
		p.failed(call, over)
		return tools.PythonResult{}, over
	case err != nil:
		p.failed(call, err)
		return result, err
	case result.TimedOut:
		p.anomaly(call, anomalyTimeout, "the code did not end within "+result.Timeout.String())
	}
	p.met(call, result.Limits)
	result.Stderr += note
	return result, nil
}

// watchedAgents are external agents under watch: programs that work in a project.
type watchedAgents struct {
	watch
	tools.ExternalAgents
}

// Delegate implements tools.ExternalAgents.
func (e watchedAgents) Delegate(ctx context.Context, call tools.Call, agent,
	message string) (answer tools.ExternalAnswer, err error) {
	note, over := e.run(ctx, call, func(ctx context.Context) {
		answer, err = e.ExternalAgents.Delegate(ctx, call, agent,
			message)
	})
	if over != nil {
		return answer, over
	}
	answer.Response += note
	return answer, err
}

// actorOf is who makes a call.
func actorOf(call tools.Call) workspace.Actor {
	return workspace.Actor{UserID: call.UserID, RunID: call.RunID, RootRunID: call.RootRunID, CallID: call.ID}
}
