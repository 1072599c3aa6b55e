package terminal

import (
	"encoding/json"
	"time"
)

// viewer is told once of everything that is to be shown.
type viewer interface {
	thinking(delta string) // of the root run
	text(delta string)     // of the root run
	began(c *call)
	ended(c *call)
	joined(a *agent) // a sub-agent began to work
	left(a *agent)   // a sub-agent ended
	notice(text string)
}

// state is what is known of a run. It drops what it was told before, so that
// events may repeat and a snapshot may stand for those that were missed.
type state struct {
	rootID  string
	shown   map[string]int // code points by kind and step
	calls   map[string]*call
	agents  map[string]*agent
	order   []string // of calls
	queue   []string // of agents
	asked   map[string]bool
	waiting bool // nothing of the run has begun
	decided bool // a person did, since the run was last taken up: it goes on because of that
}

// call is a tool call of the run or of a sub-agent.
type call struct {
	Call
	agent    *agent // nil: of the root run
	started  time.Time
	progress string
	done     bool
}

// agent is a sub-agent.
type agent struct {
	id, parent string // runs
	call       string // that asked for it
	name       string
	started    time.Time // zero: it waits for its turn
	finished   time.Time
	done       bool
	success    bool
	incomplete bool
	answer     string // response or error
	calls      int    // finished ones
	working    *call  // the newest one that is not finished
	doing      string // what it does where no call is at work
}

func newState() *state {
	return &state{shown: map[string]int{}, calls: map[string]*call{}, agents: map[string]*agent{},
		asked: map[string]bool{}, waiting: true}
}

// apply takes an event and tells v what is new.
func (s *state) apply(e Event, v viewer) {
	if s.rootID == "" {
		s.rootID = e.RootRunID
	}
	switch e.Type {
	case "run.queued":
		s.enqueue(e.Run)
	case "run.started":
		s.start(e.Attempt, v)
	case "thinking.delta":
		s.delta(e, "thinking", v.thinking)
	case "text.delta":
		s.delta(e, "text", v.text)
	case "tool_call.started":
		s.begin(e.RunID, e.Call, e.Time, v)
	case "tool_call.progress":
		s.progress(e.CallID, e.Message)
	case "tool_call.finished":
		s.end(e.RunID, e.Call, e.Time, v)
	case "agent.started":
		s.join(e.Run, e.Time, v)
	case "agent.finished":
		s.leave(e, v)
	case "approval.requested":
		s.approval(e.Approval, v)
	case "approval.resolved":
		s.decided = true
		s.resolved(e.Approval, v)
	case "snapshot":
		s.snapshot(e, v)
	}
}

func (s *state) start(attempt int, v viewer) {
	s.waiting = false
	if attempt > 1 && !s.decided {
		v.notice("the run continues after an interruption")
	}
	s.decided = false
}

func (s *state) progress(callID string, message json.RawMessage) {
	if c := s.calls[callID]; c != nil {
		c.progress = text(message)
	}
}

// delta shows what is new of a text, of which the offset says where it belongs.
func (s *state) delta(e Event, kind string, show func(string)) {
	key := kind + " " + e.StepID
	s.waiting = false
	runes := []rune(e.Delta)
	if known := s.shown[key]; e.Offset < known {
		runes = runes[min(known-e.Offset, len(runes)):]
	}
	s.shown[key] = max(s.shown[key], e.Offset+len([]rune(e.Delta)))
	if a := s.agents[e.RunID]; a != nil {
		a.doing = map[string]string{"thinking": "thinking", "text": "writing"}[kind]
	} else if len(runes) > 0 {
		show(clean(string(runes)))
	}
}

func (s *state) begin(runID string, c *Call, at time.Time, v viewer) *call {
	if c == nil {
		return nil
	}
	if known := s.calls[c.ID]; known != nil {
		return known
	}
	made := &call{Call: *c, agent: s.agents[runID], started: at}
	s.calls[c.ID] = made
	s.order = append(s.order, c.ID)
	if made.agent != nil {
		made.agent.working = made
	}
	v.began(made)
	return made
}

func (s *state) end(runID string, c *Call, at time.Time, v viewer) {
	if c == nil {
		return
	}
	known := s.calls[c.ID]
	if known == nil { // a call that was refused or skipped never starts
		known = &call{agent: s.agents[runID], started: at}
		s.calls[c.ID] = known
		s.order = append(s.order, c.ID)
	}
	if known.done {
		return
	}
	known.Call, known.done = *c, true
	if a := known.agent; a != nil {
		a.calls++
		a.doing = ""
		if a.working == known {
			a.working = nil
		}
	}
	v.ended(known)
}

func (s *state) enqueue(r *Run) *agent {
	if r == nil || r.ParentRunID == "" {
		return nil
	}
	if known := s.agents[r.ID]; known != nil {
		return known
	}
	a := &agent{id: r.ID, parent: r.ParentRunID, call: r.ParentCallID, name: oneLine(r.TaskName)}
	if a.name == "" {
		a.name = oneLine(r.AgentPath)
	}
	s.agents[r.ID] = a
	s.queue = append(s.queue, r.ID)
	return a
}

func (s *state) join(r *Run, at time.Time, v viewer) {
	a := s.enqueue(r)
	if a == nil || !a.started.IsZero() {
		return
	}
	a.started = at
	if r.Started != nil {
		a.started = *r.Started
	}
	v.joined(a)
}

func (s *state) leave(e Event, v viewer) {
	a := s.enqueue(e.Run)
	if a == nil || a.done {
		return
	}
	a.done, a.success, a.incomplete, a.answer, a.finished, a.working = true, e.Success, e.Incomplete, e.Response,
		e.Time, nil
	if e.Run.Finished != nil {
		a.finished = *e.Run.Finished
	}
	if message := text(e.Error); !a.success && message != "" {
		a.answer = message
	}
	v.left(a)
}

func (s *state) approval(a *Approval, v viewer) {
	if a == nil || s.asked[a.ID] {
		return
	}
	s.asked[a.ID] = true
	v.notice("approval " + oneLine(a.ID) + " is needed for " + a.what())
}

// resolved tells once what came of an approval that was told of.
func (s *state) resolved(a *Approval, v viewer) {
	if a == nil || !s.asked[a.ID] || s.asked[a.ID+" resolved"] {
		return
	}
	s.asked[a.ID+" resolved"] = true
	text := oneLine(a.Status) + ": " + a.what()
	if a.Reason != "" {
		text += " (" + cut(oneLine(a.Reason), 120) + ")"
	}
	v.notice(text)
}

// childrenOf are the sub-agents that a call, or an agent's run, asked for.
func (s *state) childrenOf(callID string) []*agent {
	var list []*agent
	for _, id := range s.queue {
		if a := s.agents[id]; a.call == callID {
			list = append(list, a)
		}
	}
	return list
}
