package runs

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"nanoclaw/internal/models"
	"nanoclaw/internal/redact"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/store"
)

// tree is a root run at work in this process, with its sub-agents: how they are
// stopped, and what of their present steps was shown. All events of the tree go
// out through it, so that they keep their order.
type tree struct {
	service *Service
	root    *models.Run
	fence   store.Fence
	cancel  context.CancelCauseFunc

	entered bool        // an attempt was made: what follows a decision is no new one
	spawned atomic.Bool // this attempt has stored sub-agents

	transcript *transcript
	last       *stepCheckpoint // the root run's last step, which is stored with its end; nil: it has not come

	mu       sync.Mutex // held while publishing
	children map[string]*childRun
	live     map[string]*liveStep     // by run
	seen     map[string]models.Time   // approvals whose decisions the agents know, and when they were made
	asked    map[string]bool          // calls that wait for a person
	audits   map[string]*models.Audit // rows of calls whose results are not stored yet
	results  resultQueue
	timer    *time.Timer
	flushed  time.Time
}

func newTree(s *Service, root *models.Run, cancel context.CancelCauseFunc) *tree {
	return &tree{service: s, root: root, fence: store.Fence{RootRunID: root.ID, Attempt: root.Attempt},
		cancel: cancel, transcript: newTranscript(root), children: map[string]*childRun{}, live: map[string]*liveStep{},
		seen: map[string]models.Time{}, asked: map[string]bool{}, audits: map[string]*models.Audit{}}
}

// liveStep is a model turn that is under way.
type liveStep struct {
	run      *models.Run
	stepID   string
	number   int
	thinking liveText
	text     liveText
	retry    *Retry // what it waits for; nil: something has come
}

// liveText is a text that is shown as it comes: shown is what went out, pending
// what waits to be gathered into one delta.
type liveText struct {
	cover   *redact.Stream
	shown   string
	points  int // code points of shown
	pending string
}

func (t *tree) startStep(run *models.Run, stepID string, number int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	redactor := t.service.Redactor
	t.live[run.ID] = &liveStep{run: run, stepID: stepID, number: number,
		thinking: liveText{cover: redactor.Stream()}, text: liveText{cover: redactor.Stream()}}
}

// delta shows a piece of text, at once or gathered with what comes within the interval.
func (t *tree) delta(runID, piece string, thinking bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	step := t.live[runID]
	if step == nil {
		return
	}
	step.retry = nil
	text := &step.text
	if thinking {
		text = &step.thinking
	} else {
		step.thinking.pending += step.thinking.cover.Flush()
	}
	text.pending += text.cover.Write(piece)
	interval := t.service.Settings().DeltaInterval
	switch wait := interval - time.Since(t.flushed); {
	case wait <= 0:
		t.flush()
	case t.timer == nil:
		t.timer = time.AfterFunc(wait, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.timer = nil
			t.flush()
		})
	}
}

// wait notes that a run's present step waits for its model.
func (t *tree) wait(runID string, retry Retry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if step := t.live[runID]; step != nil {
		step.retry = &retry
	}
}

// waits are the runs whose models are waited for.
func (t *tree) waits() map[string]Retry {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := map[string]Retry{}
	for id, step := range t.live {
		if step.retry != nil {
			list[id] = *step.retry
		}
	}
	return list
}

// flush publishes what is pending. The lock is held.
func (t *tree) flush() {
	var messages []eventlog.Message
	for _, step := range t.live {
		messages = step.take(messages)
	}
	t.flushed = time.Now()
	t.publish(messages)
}

func (l *liveStep) take(messages []eventlog.Message) []eventlog.Message {
	for _, part := range []struct {
		eventType string
		text      *liveText
	}{{EventThinkingDelta, &l.thinking}, {EventTextDelta, &l.text}} {
		if part.text.pending == "" {
			continue
		}
		payload := deltaPayload{StepID: l.stepID, Offset: part.text.points, Delta: part.text.pending}
		messages = append(messages, eventlog.Message{Subject: subjectOf(l.run), Data: encodeEvent(part.eventType, l.run,
			payload)})
		part.text.shown += part.text.pending
		part.text.points += utf8.RuneCountInString(part.text.pending)
		part.text.pending = ""
	}
	return messages
}

func (t *tree) publish(messages []eventlog.Message) {
	if len(messages) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
	defer cancel()
	if err := t.service.publish(ctx, messages); err != nil && !passing(err) {
		t.service.Logger.Warn("live text could not be published", "run", t.root.ID, "error", err)
	}
}

// showStep shows the rest of a run's present text, and returns all that was shown.
func (t *tree) showStep(runID string) (thinking, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	step := t.live[runID]
	if step == nil {
		return "", ""
	}
	step.thinking.pending += step.thinking.cover.Flush()
	step.text.pending += step.text.cover.Flush()
	t.publish(step.take(nil))
	return step.thinking.shown, step.text.shown
}

// forgetStep ends a run's present text: the step that is stored stands for it now.
func (t *tree) forgetStep(runID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.live, runID)
}

// endStep is showStep and forgetStep.
func (t *tree) endStep(runID string) (thinking, text string) {
	defer t.forgetStep(runID)
	return t.showStep(runID)
}

// send publishes rows that were committed, behind all text that came before them.
func (t *tree) send(rows []*models.Outbox) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	t.service.send(rows)
}

// publishTransient publishes an event that needs no row: losing it loses nothing.
func (t *tree) publishTransient(eventType string, run *models.Run, payload any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	t.publish([]eventlog.Message{{Subject: subjectOf(run), Data: encodeEvent(eventType, run, payload)}})
}

// shownText is what was shown of a run's step that is under way.
func (t *tree) shownText(runID string) (stepID string, number int, thinking, text string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	step := t.live[runID]
	if step == nil {
		return "", 0, "", "", false
	}
	return step.stepID, step.number, step.thinking.shown, step.text.shown, true
}

func (t *tree) addChild(child *childRun) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.children[child.run.ID] = child
}

// run is the root run or a sub-agent's; nil: it is none of the tree's.
func (t *tree) run(runID string) *models.Run {
	if runID == t.root.ID {
		return t.root
	}
	if child := t.child(runID); child != nil {
		return child.run
	}
	return nil
}

// addUsage counts a model call, of a step or of a tool; tools run side by side.
func (t *tree) addUsage(run *models.Run, used Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	run.PromptTokens += used.PromptTokens
	run.CompletionTokens += used.CompletionTokens
	run.TotalTokens += used.TotalTokens
	run.Cost += used.Cost
	run.Estimated = run.Estimated || used.Estimated
}

func (t *tree) child(runID string) *childRun {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.children[runID]
}
