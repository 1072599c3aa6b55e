package app

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

// commandWatch stands around everything that runs programs in a project: none
// begins while the project is over its quota (FS3), what they change is noted
// (CH11), and what goes wrong is counted and told (SH9).
type commandWatch struct{ app *App }

// watchEvery is how often the size of a project is looked at while a program runs
// in it; counting takes at most a small share of the time.
const watchEvery = 500 * time.Millisecond

// run runs a program under watch: do is handed a context that ends when the
// project is over its quota. over is that error, with which do's own result does
// not matter any more.
func (w commandWatch) run(ctx context.Context, call tools.Call, do func(context.Context)) (over error) {
	if err := w.app.Projects.CheckQuota(ctx, call.ProjectID, true); err != nil {
		return err
	}
	leave := func(context.Context) {}
	if w.app.Undo != nil {
		leave = w.app.Undo.Command(ctx, actorOf(call), call.ProjectID)
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
			if err := w.app.Projects.CheckQuota(running, call.ProjectID, true); tools.CodeOf(err) == quotaExceeded && running.Err() == nil {
				stop(err)
				return
			}
		}
	}()
	do(running)
	stop(nil)
	<-watched
	leave(ctx)
	if cause := context.Cause(running); tools.CodeOf(cause) == quotaExceeded {
		return tools.Errorf(quotaExceeded, "it was stopped: %v", cause)
	}
	return nil
}

const quotaExceeded = string(workspace.CodeQuotaExceeded)

func (w commandWatch) anomaly(call tools.Call, kind, detail string) {
	if w.app.counters != nil {
		w.app.counters.anomalies.WithLabelValues(call.Tool, kind).Inc()
	}
	w.app.alert(call, kind, detail)
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

func (w commandWatch) failed(call tools.Call, err error) {
	switch {
	case tools.CodeOf(err) == quotaExceeded:
		w.anomaly(call, anomalyLimit, err.Error())
	case !refused(err):
		w.anomaly(call, anomalyFailure, err.Error())
	}
}

// note tells people and models that a program left the project over its quota.
func (w commandWatch) note(ctx context.Context, call tools.Call) string {
	over := w.app.Projects.CheckQuota(context.WithoutCancel(ctx), call.ProjectID, true)
	if tools.CodeOf(over) != quotaExceeded {
		return ""
	}
	w.anomaly(call, anomalyLimit, over.Error())
	return fmt.Sprintf("\n[%v. Nothing more runs before there is room]\n", over)
}

// met tells of resource limits that a program met.
func (w commandWatch) met(call tools.Call, limits []string) {
	// Time is another kind of anomaly, and long output is none.
	limits = slices.DeleteFunc(slices.Clone(limits), func(limit string) bool { return limit == "time" || limit == "output" })
	if len(limits) > 0 {
		w.anomaly(call, anomalyLimit, "it met a limit: "+strings.Join(limits, ", "))
	}
}

// watchedShell is a shell under watch.
type watchedShell struct {
	commandWatch
	inner tools.Shell
}

// Execute implements tools.Shell.
func (s watchedShell) Execute(ctx context.Context, call tools.Call, command tools.ShellCommand) (result tools.ShellResult, err error) {
	over := s.run(ctx, call, func(ctx context.Context) { result, err = s.inner.Execute(ctx, call, command) })
	switch {
	case over != nil:
		s.failed(call, over)
		return tools.ShellResult{}, over
	case err != nil:
		s.failed(call, err)
		return result, err
	case result.TimedOut:
		s.anomaly(call, anomalyTimeout, "a command did not end within "+result.Timeout.String())
	case result.ExitCode != 0 && !result.Cancelled && s.app.Live.Current().Shell.FailedExit:
		s.anomaly(call, anomalyFailure, fmt.Sprintf("a command ended with status %d", result.ExitCode))
	}
	s.met(call, result.Limits)
	result.Stderr += s.note(ctx, call)
	return result, nil
}

// watchedPython is Python under watch.
type watchedPython struct {
	commandWatch
	inner tools.Python
}

// Run implements tools.Python.
func (p watchedPython) Run(ctx context.Context, call tools.Call, code tools.PythonCode) (result tools.PythonResult, err error) {
	over := p.run(ctx, call, func(ctx context.Context) { result, err = p.inner.Run(ctx, call, code) })
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
	result.Stderr += p.note(ctx, call)
	return result, nil
}

// watchedAgents are external agents under watch: programs that work in a project.
type watchedAgents struct {
	commandWatch
	tools.ExternalAgents
}

// Delegate implements tools.ExternalAgents.
func (e watchedAgents) Delegate(ctx context.Context, call tools.Call, agent, message string) (answer tools.ExternalAnswer, err error) {
	over := e.run(ctx, call, func(ctx context.Context) { answer, err = e.ExternalAgents.Delegate(ctx, call, agent, message) })
	if over != nil {
		return answer, over
	}
	return answer, err
}
