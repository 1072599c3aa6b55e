package runs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/telemetry"
	"nanoclaw/internal/tools"
)

// execute works on a claimed root run until it ends or must be given back.
func (s *Service) execute(run *models.Run) {
	ctx, cancel := context.WithCancelCause(store.Patient(s.ctx))
	defer cancel(nil)
	defer s.letGo(run, run.Attempt)
	t := newTree(s, run, cancel)
	unstored := false
	s.mu.Lock()
	s.active[run.ID] = t
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		if s.active[run.ID] == t {
			delete(s.active, run.ID)
		}
		s.mu.Unlock()
		if unstored {
			s.requeue.Store(true)
		}
	}()

	if run.Attempt == 1 {
		s.Tracer.Record(traceOf(run), "queue", run.CreatedAt.Std(), time.Now())
	}
	clockCtx, clock, stop := agent.WithClock(s.Tracer.Enter(ctx, traceOf(run)), workLeft(s.Settings().Timeout, run))
	defer stop()
	for again := true; again; {
		result, err := s.attempt(clockCtx, t)
		err = causeOf(clockCtx, err)
		if again, err = s.finishAttempt(t, clock.Worked(), result, err); err != nil {
			s.Logger.ErrorContext(clockCtx, "the end of a run could not be stored: it will be resumed", "run", run.ID,
				"error", err)
			unstored = true
			return
		}
	}
}

// causeOf says why a context ended that an error speaks of: whoever was stopped in
// the middle of a query knows only that it was.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return context.Cause(ctx)
	}
	return err
}

// workLeft is a run's time limit less what it has used so far, never 0 where there
// is a limit.
func workLeft(limit time.Duration, run *models.Run) time.Duration {
	if limit <= 0 {
		return 0
	}
	return max(limit-time.Duration(run.WorkedMicros)*time.Microsecond, time.Nanosecond)
}

// attempt is one go at a root run. A panic ends the run, not the server.
func (s *Service) attempt(ctx context.Context, t *tree) (result agent.Result, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			s.Logger.ErrorContext(ctx, "a run panicked", "run", t.root.ID, "panic", panicked, "stack",
				string(debug.Stack()))
			err = &agent.Error{Code: tools.CodeInternal, Message: "internal error; see the server log"}
		}
	}()
	run := t.root
	ctx = s.contextOf(ctx, run)
	if run.CancelRequestedAt != 0 {
		return result, agent.ErrCancelled
	}
	if run.StaleAttempts > s.Settings().MaxAttempts {
		return result, errInterrupted
	}
	if run.Attempt > 1 && !t.entered {
		s.cancelLive(ctx, run, "") // who asked is gone
		if err := s.publishSnapshot(ctx, t); err != nil {
			return result, err
		}
	}
	fresh := run.Attempt == 1 && !t.entered
	t.entered = true
	spec, err := s.rootSpec(ctx, t, fresh)
	if err != nil {
		return result, err
	}
	return s.Loop.Run(ctx, spec, &journal{tree: t, run: run})
}

// contextOf is the context of what is done for a run.
func (s *Service) contextOf(ctx context.Context, run *models.Run) context.Context {
	if s.Context == nil {
		return ctx
	}
	return s.Context(ctx, run)
}

var errInterrupted = errors.New("the run was claimed several times without progress")

// finishAttempt stores how an attempt ended. again: a decision came in the last moment,
// and the run goes on here.
func (s *Service) finishAttempt(t *tree, worked time.Duration, result agent.Result, err error) (again bool, _ error) {
	ctx := context.WithoutCancel(store.Patient(s.ctx)) // a shutdown does not wait for the database
	ctx, cancel := context.WithTimeout(s.Tracer.Enter(ctx, traceOf(t.root)), checkpointTimeout)
	defer cancel()
	defer t.forgetStep(t.root.ID)
	t.showStep(t.root.ID)
	run := t.root
	switch {
	case errors.Is(err, agent.ErrLost), errors.Is(err, store.ErrFenced), passing(err):
		// Where it is not another worker's after all, it goes on at once.
		err := s.release(ctx, t, worked)
		if errors.Is(err, store.ErrFenced) {
			s.Logger.WarnContext(ctx, "a run was lost to another worker", "run", run.ID)
			return false, nil
		}
		return false, err
	case errors.Is(err, agent.ErrDrained):
		if s.ctx.Err() != nil {
			return false, nil // stopped where it was: the next start takes it up as it is
		}
		return false, s.release(ctx, t, worked)
	case err == nil && result.Suspended:
		waits, seen := false, t.seenDecisions()
		err := t.commit(ctx, "waiting", func(tx *store.Tx) (err error) {
			waits, err = tx.AwaitApproval(worked, seen)
			return err
		})
		t.transcript.forget()
		return err == nil && !waits, err
	}
	status, before := run.Status, run.WorkedMicros
	run.WorkedMicros += worked.Microseconds()
	run.Incomplete = result.Incomplete
	run.Status, run.ErrorCode, run.ErrorMessage = s.outcome(err)
	if run.Status == models.RunFailed {
		s.Logger.WarnContext(ctx, "a run failed", "run", run.ID, "code", run.ErrorCode, "error", err,
			"cause", modelCause(err))
	}
	if again, err = s.finish(ctx, t); err != nil {
		return false, err
	}
	if again {
		run.Status, run.WorkedMicros, run.Incomplete = status, before, false
		return true, nil
	}
	s.nameLater(run)
	s.Tracer.Finish(traceOf(run), run.CreatedAt.Std(), time.Now(), run.ErrorMessage,
		telemetry.String("nanoclaw.run.status", run.Status),
		telemetry.String("nanoclaw.conversation.id", run.ConversationID),
		telemetry.String("gen_ai.agent.name", run.Agent), telemetry.Int("nanoclaw.run.attempts", run.Attempt))
	return false, nil
}

// traceOf is what a root run's spans belong to.
func traceOf(root *models.Run) telemetry.Run {
	return telemetry.Run{ID: root.ID, Traceparent: root.Input.Traceparent}
}

// outcome is the status and the error of a run that ended with err.
func (s *Service) outcome(err error) (status, code, message string) {
	switch {
	case err == nil:
		return models.RunCompleted, "", ""
	case errors.Is(err, agent.ErrCancelled):
		return models.RunCancelled, tools.CodeCancelled, "the run was cancelled"
	case errors.Is(err, errInterrupted):
		return models.RunInterrupted, "interrupted",
			fmt.Sprintf("the server stopped %d times at the same step of this run: continue it once the cause is found",
				s.Settings().MaxAttempts)
	}
	code, message = tools.CodeOf(err), err.Error()
	var failed *llm.Error
	var own *agent.Error
	if !errors.As(err, &failed) && !errors.As(err, &own) && code == tools.CodeInternal {
		message = "the run could not continue: internal error; see the server log"
	}
	return models.RunFailed, code, s.Redactor.String(message)
}

// modelCause is what lies behind a model's error, whose message is for people.
func modelCause(err error) error {
	var failed *llm.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return nil
}

func (s *Service) release(ctx context.Context, t *tree, worked time.Duration) error {
	return t.commit(ctx, "release", func(tx *store.Tx) error {
		run, err := tx.Release(worked)
		if err == nil {
			tx.Send(workRow(run))
		}
		return err
	})
}

// finish stores the last step, the assistant's message and the run's end, and starts the
// run that waited for this one. again: a person said something in the last moment, and the
// run goes on here.
func (s *Service) finish(ctx context.Context, t *tree) (again bool, _ error) {
	run := t.root
	steps, calls, known := t.transcript.rows()
	if !known {
		var err error
		if steps, calls, err = s.Store.Steps(ctx, run.ID); err != nil {
			return false, err
		}
		if t.last != nil {
			steps = append(steps, t.last.step)
		}
	}
	var children []*models.Run
	if run.Attempt > 1 || t.spawned.Load() {
		var err error
		if children, err = s.Store.SubAgents(ctx, run.ID); err != nil {
			return false, err
		}
	}
	used := viewTree(run, children).Usage
	said := t.said()
	message, completed, err := s.closing(run, used, steps, calls, said)
	if err != nil {
		return false, err
	}
	err = t.commit(ctx, "finish", func(tx *store.Tx) error {
		if t.last != nil {
			if err := t.last.store(tx); err != nil {
				return err
			}
		}
		now := t.said()
		unheard := func(m models.Steering) bool { return m.Before < 0 }
		if again = run.Status == models.RunCompleted && slices.ContainsFunc(now, unheard); again {
			return nil
		}
		if len(now) > len(said) {
			if message, completed, err = s.closing(run, used, steps, calls, now); err != nil {
				return err
			}
		}
		below, err := tx.EndRun(run)
		if err != nil {
			return err
		}
		title, err := tx.CloseTurn(run, message)
		if err != nil {
			return err
		}
		ended := finishedPayload{Run: ViewRun(run), Title: title}
		ended.Run.Usage, ended.Error = used, ended.Run.Error
		tx.Send(s.endedRows(run.UserID, below)...)
		tx.Send(completed, eventRow(EventRunFinished, run, ended))
		if err := s.announceTasks(tx, run); err != nil {
			return err
		}
		next, asked, err := tx.PromoteNext(run)
		if next != nil {
			tx.Send(startRows(next, asked)...)
		}
		return err
	})
	if err == nil {
		t.last = nil
	}
	return again, err
}

// closing is the answer of a run that ends, and the event that tells of it.
func (s *Service) closing(run *models.Run, used Usage, steps []*models.Step, calls []*models.ToolCall,
	said []models.Steering) (*models.Message, *models.Outbox, error) {
	message := s.assistantMessage(run, used, steps, calls, said)
	view, err := ViewMessage(message)
	if err != nil {
		return nil, nil, err
	}
	return message, eventRow(EventMessageCompleted, run, messagePayload{Message: view}), nil
}

// endedRows tell of what ended because the run above it did.
func (s *Service) endedRows(ownerID string, ended store.Ended) []*models.Outbox {
	var rows []*models.Outbox
	for _, approval := range ended.Approvals {
		rows = append(rows, s.resolvedRow(approval, ownerID))
	}
	for _, child := range ended.Children {
		rows = append(rows, eventRow(EventAgentFinished, child, finishedAgent(child)))
	}
	return rows
}
