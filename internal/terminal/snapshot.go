package terminal

import "encoding/json"

// snapshot brings the state up to date with what an event of that name says: it
// stands for the events that were missed, so it is told as those that are new.
func (s *state) snapshot(e Event, v viewer) {
	if e.Run != nil && e.Run.Status != "queued" {
		s.waiting = false
	}
	var message messageSnapshot
	if len(e.Message) > 0 {
		// A message that cannot be read shows nothing new; what follows still does.
		_ = json.Unmarshal(e.Message, &message)
	}
	calls := map[string]Call{}
	for _, c := range message.Calls {
		calls[c.ID] = c
	}
	for _, step := range message.Steps {
		part := e
		part.StepID, part.Offset, part.Delta = step.StepID, 0, step.Text
		switch step.Type {
		case "thinking":
			s.delta(part, "thinking", v.thinking)
		case "text":
			s.delta(part, "text", v.text)
		case "tool_call", "tool_result":
			if c, ok := calls[step.IDRef]; ok {
				s.seen(e, e.RootRunID, c, v)
			}
		}
	}
	s.snapshotAgents(e, v)
	for i := range e.Approvals {
		s.approval(&e.Approvals[i], v)
	}
}

// seen tells of a call of a snapshot; a record without a result is not finished.
func (s *state) seen(e Event, runID string, c Call, v viewer) {
	s.begin(runID, &c, e.Time, v)
	if c.Result != "" {
		s.end(runID, &c, e.Time, v)
	}
}

func (s *state) snapshotAgents(e Event, v viewer) {
	var visit func(r *Run)
	visit = func(r *Run) {
		for _, child := range r.Children {
			s.enqueue(child)
			if child.Started != nil {
				s.join(child, e.Time, v)
			}
			for _, a := range e.Agents {
				for _, c := range a.Calls {
					if a.RunID == child.ID {
						s.seen(e, child.ID, c, v)
					}
				}
			}
			if child.Finished != nil {
				s.leave(childEnd(e, child), v)
			}
			visit(child)
		}
	}
	if e.Run != nil {
		visit(e.Run)
	}
}

// childEnd is the agent.finished that a snapshot stands for.
func childEnd(e Event, child *Run) Event {
	end := Event{Type: "agent.finished", Time: e.Time, Run: child, Success: child.Status == "completed",
		Response: child.Response, Incomplete: child.Incomplete}
	if child.Error != nil {
		// A text always becomes JSON.
		end.Error, _ = json.Marshal(child.Error.Message)
	}
	return end
}
