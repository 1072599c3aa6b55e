package runs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/telemetry"
	"nanoclaw/internal/tools"
)

// children makes sub-agents runs of their own, below the run that asked for them.
type children struct{ service *Service }

var _ agent.Children = children{}

// Prepare implements agent.Children.
func (c children) Prepare(ctx context.Context, call tools.Call, tasks []tools.SubTask,
	limits agent.Limits) ([]agent.Child, error) {
	s := c.service
	t := s.tree(call.RootRunID)
	if t == nil {
		return nil, agent.ErrLost
	}
	parent, err := s.Store.Run(ctx, "", call.RunID)
	if err != nil {
		return nil, lost(err)
	}
	wanted := make([]*models.Run, len(tasks))
	for i, task := range tasks {
		wanted[i] = newChild(parent, call, i, task, limits)
	}
	runs, err := t.addChildren(ctx, wanted...)
	if err != nil {
		return nil, err
	}
	made := make([]agent.Child, len(runs))
	for i, run := range runs {
		made[i] = t.adopt(run, limits)
	}
	// Who was cancelled before it could be found here has it in the store.
	cancelled, err := s.Store.CancelRequested(ctx, t.root.ID)
	if err != nil {
		return nil, lost(err)
	}
	for _, run := range runs {
		if cancelled[run.ID] {
			t.child(run.ID).stop()
		}
	}
	return made, nil
}

// addChildren stores the sub-agents of a call as queued runs. Those that an earlier
// attempt made come back in place of the new ones.
func (t *tree) addChildren(ctx context.Context, wanted ...*models.Run) ([]*models.Run, error) {
	t.spawned.Store(true)
	stored := make([]*models.Run, len(wanted))
	err := t.commit(ctx, "children", func(tx *store.Tx) error {
		for i, child := range wanted {
			made, err := false, error(nil)
			if stored[i], made, err = tx.AddChild(child); err != nil {
				return err
			}
			if made {
				tx.Send(eventRow(EventRunQueued, child, runPayload{Run: ViewRun(child)}))
			}
		}
		return nil
	})
	return stored, lost(err)
}

// adopt makes a stored sub-agent one that can be run and cancelled here.
func (t *tree) adopt(run *models.Run, limits agent.Limits) *childRun {
	child := &childRun{tree: t, run: run, limits: limits, stopped: make(chan struct{}), woken: make(chan struct{}, 1)}
	if run.CancelRequestedAt != 0 {
		child.stop()
	}
	t.addChild(child)
	return child
}

func newChild(parent *models.Run, call tools.Call, index int, task tools.SubTask, limits agent.Limits) *models.Run {
	key := fmt.Sprintf("%s/%d", call.ID, index)
	settings := parent.Settings
	settings.Tools, settings.Session, settings.ClientTools = task.Tools, "", nil
	settings.MaxIterations = limits.MaxIterations
	if call.Settings.Model != "" {
		settings.Model = call.Settings.Model
	}
	return &models.Run{
		ID: store.NewID(), ConversationID: parent.ConversationID, UserID: parent.UserID, ActorID: parent.ActorID,
		ProjectID: parent.ProjectID,
		RootRunID: parent.RootRunID, ParentRunID: parent.ID, ParentCallID: call.ID, TaskIndex: index,
		TaskName: task.Name,
		ChildKey: &key, Agent: parent.Agent, AgentPath: path.Join(parent.AgentPath, pathName(task.Name)),
		Input: models.RunInput{Text: task.Instruction}, Settings: settings, CreatedAt: now(),
	}
}

// pathName is a task's name as one element of an agent path.
func pathName(name string) string {
	return strings.Trim(strings.NewReplacer("/", "-", "\n", " ", "\r", " ").Replace(strings.TrimSpace(name)), ".")
}

// childRun is a sub-agent of a tree at work in this process.
type childRun struct {
	tree   *tree
	run    *models.Run
	limits agent.Limits

	mu      sync.Mutex
	cancel  context.CancelCauseFunc // while it works
	halted  bool
	stopped chan struct{} // closed by stop
	woken   chan struct{} // has one where a decision came since Run began
}

var _ agent.Child = (*childRun)(nil)

// stop cancels the sub-agent, at work or waiting.
func (c *childRun) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.halted {
		return
	}
	c.halted = true
	close(c.stopped)
	if c.cancel != nil {
		c.cancel(agent.ErrCancelled)
	}
}

// Stopped implements agent.Child.
func (c *childRun) Stopped() <-chan struct{} { return c.stopped }

// wake says that a decision may concern the sub-agent. It may be told too often.
func (c *childRun) wake() {
	select {
	case c.woken <- struct{}{}:
	default:
	}
}

// Woken implements agent.Child.
func (c *childRun) Woken() <-chan struct{} { return c.woken }

// Ended implements agent.Child. A sub-agent that was cancelled while it waited
// for its turn ends here, in Run.
func (c *childRun) Ended() (tools.SubResult, bool) {
	if !models.RunEnded(c.run.Status) {
		return tools.SubResult{}, false
	}
	return subResult(c.run), true
}

// Run implements agent.Child.
func (c *childRun) Run(ctx context.Context) (tools.SubResult, bool, error) {
	s := c.tree.service
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	select {
	case <-c.woken: // what was decided before is read below
	default:
	}
	c.mu.Lock()
	c.cancel = cancel
	halted := c.halted
	c.mu.Unlock()
	if halted {
		cancel(agent.ErrCancelled)
	}
	ctx, end := telemetry.Start(ctx, "invoke_agent "+c.run.TaskName, telemetry.String("nanoclaw.run.id", c.run.ID),
		telemetry.String("nanoclaw.agent_path", c.run.AgentPath))
	var err error
	defer func() { end(failureOf(err)) }()
	clockCtx, clock, stop := agent.WithClock(ctx, workLeft(c.limits.Timeout, c.run))
	defer stop()
	var result agent.Result
	if !halted {
		err = c.begin(ctx)
	}
	if err == nil {
		result, err = s.childAttempt(clockCtx, c)
	}
	err = causeOf(clockCtx, err)
	switch {
	case err == nil && result.Suspended:
		c.run.WorkedMicros += clock.Worked().Microseconds()
		return tools.SubResult{}, true, c.setState(ctx, models.RunWaitingApproval)
	case errors.Is(err, agent.ErrLost), errors.Is(err, agent.ErrDrained), parentEnded(ctx, err):
		return tools.SubResult{}, false, err
	}
	c.run.WorkedMicros += clock.Worked().Microseconds()
	return c.end(ctx, result, err)
}

// failureOf is the code of what ended a sub-agent, for its trace.
func failureOf(err error) string {
	if err == nil {
		return ""
	}
	return tools.CodeOf(err)
}

// parentEnded says that the whole tree stops, not this sub-agent alone.
func parentEnded(ctx context.Context, err error) bool {
	var own *agent.Error
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), agent.ErrCancelled) && !errors.As(err, &own)
}

// begin notes that the sub-agent works, and announces it the first time.
func (c *childRun) begin(ctx context.Context) error {
	var events []*models.Outbox
	if c.run.StartedAt == 0 {
		started := ViewRun(c.run)
		started.Status = models.RunRunning
		events = append(events, eventRow(EventAgentStarted, c.run, agentPayload{Run: started,
			TaskName: c.run.TaskName}))
	}
	return c.setState(ctx, models.RunRunning, events...)
}

func (c *childRun) setState(ctx context.Context, status string, events ...*models.Outbox) error {
	return lost(c.tree.commit(ctx, "child_state", func(tx *store.Tx) error {
		tx.Send(events...)
		return tx.SetChildState(c.run, status)
	}))
}

// end stores how the sub-agent ended; a tree that is being cancelled stores it too.
func (c *childRun) end(ctx context.Context, result agent.Result, err error) (tools.SubResult, bool, error) {
	s := c.tree.service
	_, text := c.tree.endStep(c.run.ID)
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkpointTimeout)
	defer cancel()
	c.run.Status, c.run.ErrorCode, c.run.ErrorMessage = s.outcome(err)
	c.run.Response, c.run.Incomplete = firstOf(result.Text, text), result.Incomplete
	if c.run.Response == "" && err != nil || result.Incomplete && c.run.Response == "" {
		c.run.Response = s.lastText(keep, c.run.ID)
	}
	err = c.tree.commit(keep, "child_finished", func(tx *store.Tx) error {
		below, err := tx.EndChild(c.run)
		if err == nil {
			tx.Send(append(s.endedRows(c.run.UserID, below), eventRow(EventAgentFinished, c.run, finishedAgent(c.run)))...)
		}
		return err
	})
	if err != nil {
		return tools.SubResult{}, false, lost(err)
	}
	return subResult(c.run), false, nil
}

// lastText is the newest text of a run's steps: what there is of an answer.
func (s *Service) lastText(ctx context.Context, runID string) string {
	steps, _, err := s.Store.Steps(ctx, runID)
	if err != nil {
		s.Logger.Warn("the partial text of a sub-agent could not be read", "run", runID, "error", err)
		return ""
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].Text != "" {
			return steps[i].Text
		}
	}
	return ""
}

func (s *Service) childAttempt(ctx context.Context, c *childRun) (agent.Result, error) {
	if ctx.Err() != nil {
		return agent.Result{}, context.Cause(ctx)
	}
	ctx = s.contextOf(ctx, c.run)
	spec, err := s.childSpec(ctx, c)
	if err != nil {
		return agent.Result{}, err
	}
	return s.Loop.Run(ctx, spec, &journal{tree: c.tree, run: c.run})
}

func subResult(run *models.Run) tools.SubResult {
	return tools.SubResult{
		TaskName: run.TaskName, RunID: run.ID, Success: run.Status == models.RunCompleted, Response: run.Response,
		Error: run.ErrorMessage, Code: run.ErrorCode, Incomplete: run.Incomplete,
	}
}

func finishedAgent(run *models.Run) agentPayload {
	success := run.Status == models.RunCompleted
	return agentPayload{Run: ViewRun(run), TaskName: run.TaskName, Success: &success, Response: run.Response,
		Error: run.ErrorMessage, Incomplete: run.Incomplete}
}
