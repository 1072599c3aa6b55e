package turn

import (
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

// steps adds what an agent said and did, as far as it was not shown.
func (s *Stream) steps(of Event, entries []models.StepEntry, records []tools.Record) {
	calls := map[string]tools.Record{}
	for _, record := range records {
		calls[record.ID] = record
	}
	for _, entry := range entries {
		event := of
		event.StepID, event.Call = entry.StepID, calls[entry.IDRef]
		switch entry.Type {
		case "thinking":
			event.Type = runs.EventThinkingDelta
			s.text(event, 0, entry.Text)
		case "text":
			event.Type = runs.EventTextDelta
			s.text(event, 0, entry.Text)
		case "tool_call":
			event.Type = runs.EventCallStarted
			event.Call.Result = ""
			s.once(event, entry.IDRef)
		case "tool_result":
			event.Type = runs.EventCallFinished
			s.once(event, entry.IDRef)
		}
	}
}

// agents adds the sub-agents below a run, as far as they were not shown.
func (s *Stream) agents(above *runs.RunView) {
	if above == nil {
		return
	}
	for _, child := range above.Children {
		event := Event{Type: runs.EventAgentStarted, RunID: child.ID, AgentPath: child.AgentPath, Run: child,
			TaskName: child.TaskName}
		s.once(event, child.ID)
		s.agents(child)
		if models.RunEnded(child.Status) {
			event.Type, event.Response = runs.EventAgentFinished, child.Response
			s.once(event, child.ID)
		}
	}
}
