package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

// Event is one thing that happened in a run or below it. Type is that of package runs;
// the fields that it does not have are empty.
type Event struct {
	Type      string
	Cursor    string // of the stored event that this one is of
	RunID     string
	Root      bool // of the root run itself, not of a sub-agent
	AgentPath string

	StepID   string
	Text     string       // of text.delta and thinking.delta
	Call     tools.Record // of tool_call.*: of waiting its id and name, of started no result
	Approval *runs.ApprovalView
	Run      *runs.RunView // of run.* and agent.*
	TaskName string
	Failure  *runs.Failure // of run.finished
	Response string        // of agent.finished: the answer, or the error
	Usage    runs.Usage
}

// wire has the fields of all events that are read.
type wire struct {
	runs.EventHead
	StepID   string             `json:"step_id"`
	Offset   int                `json:"offset"`
	Delta    string             `json:"delta"`
	ToolCall *tools.Record      `json:"tool_call"`
	ID       string             `json:"id"`
	Name     string             `json:"name"`
	Approval *runs.ApprovalView `json:"approval"`
	Run      *runs.RunView      `json:"run"`
	TaskName string             `json:"task_name"`
	Error    json.RawMessage    `json:"error"`
	Response string             `json:"response"`

	Message   json.RawMessage        `json:"message"` // of a snapshot an object, of progress a text
	Approvals []*runs.ApprovalView   `json:"approvals"`
	Agents    []runs.SnapshotOfAgent `json:"agents"`
	runs.Usage
}

// Stream is a run's events. What a snapshot repeats is left out, what it has beyond
// that is made into events.
type Stream struct {
	watch  *runs.Watch
	ready  []Event
	points map[string]int  // code points shown of a step's text
	seen   map[string]bool // what happens once: calls and approvals
}

// Follow reads a watch. The caller closes the watch.
func Follow(watch *runs.Watch) *Stream {
	return &Stream{watch: watch, points: map[string]int{}, seen: map[string]bool{}}
}

// Reader makes a Stream for events that come over the API: see Read.
func Reader() *Stream { return Follow(nil) }

// Read is what an event of the API, as JSON, has beyond those before it.
func (s *Stream) Read(data []byte) ([]Event, error) {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("read an event: %w", err)
	}
	s.add(w)
	fresh := s.ready
	s.ready = nil
	return fresh, nil
}

// Message is what an assistant's message shows, as the events that it was made of.
func (s *Stream) Message(view *runs.MessageView) []Event {
	s.steps(Event{RunID: view.RunID, Root: true}, view.Steps, view.ToolCalls)
	fresh := s.ready
	s.ready = nil
	return fresh
}

// Next waits for the next event. io.EOF is the end; the other errors are the watch's.
func (s *Stream) Next(ctx context.Context) (Event, error) {
	for len(s.ready) == 0 {
		event, err := s.watch.Next(ctx)
		if err != nil {
			return Event{}, err
		}
		var w wire
		if err := json.Unmarshal(event.Data, &w); err != nil {
			return Event{}, fmt.Errorf("read an event of type %s: %w", event.Type, err)
		}
		s.add(w)
		for i := range s.ready {
			s.ready[i].Cursor = event.Cursor
		}
	}
	next := s.ready[0]
	s.ready = s.ready[1:]
	return next, nil
}

// Pending says whether Next has an event at once.
func (s *Stream) Pending() bool { return len(s.ready) > 0 || s.watch.Pending() }

func (s *Stream) add(w wire) {
	event := Event{Type: w.Type, RunID: w.RunID, Root: w.RunID == w.RootRunID, AgentPath: w.AgentPath,
		StepID: w.StepID, Approval: w.Approval, Run: w.Run, TaskName: w.TaskName, Response: w.Response, Usage: w.Usage}
	if w.ToolCall != nil {
		event.Call = *w.ToolCall
	}
	once := event.Call.ID
	switch w.Type {
	case runs.EventSnapshot:
		s.snapshot(w)
		return
	case runs.EventTextDelta, runs.EventThinkingDelta:
		s.text(event, w.Offset, w.Delta)
		return
	case runs.EventApprovalAsked, runs.EventApprovalResolved:
		once = w.Approval.ID
	case runs.EventCallWaiting:
		event.Call, once = tools.Record{ID: w.ID, Function: tools.FunctionCall{Name: w.Name}}, w.ID
	case runs.EventRunFinished:
		_ = json.Unmarshal(w.Error, &event.Failure) // absent, or our own
	case runs.EventAgentStarted:
		once = w.RunID
	case runs.EventAgentFinished:
		if once = w.RunID; event.Response == "" {
			_ = json.Unmarshal(w.Error, &event.Response)
		}
	}
	s.once(event, once)
}

// once adds an event, unless the same was there before; the empty id always counts.
func (s *Stream) once(event Event, id string) {
	key := event.Type + " " + id
	if id != "" && s.seen[key] {
		return
	}
	s.seen[key] = true
	s.ready = append(s.ready, event)
}

// text adds what is new of a piece of text that begins at offset.
func (s *Stream) text(event Event, offset int, piece string) {
	key := event.Type + " " + event.StepID
	for shown := s.points[key]; offset < shown && piece != ""; offset++ {
		_, size := utf8.DecodeRuneInString(piece)
		piece = piece[size:]
	}
	if piece == "" {
		return
	}
	s.points[key] = offset + utf8.RuneCountInString(piece)
	event.Text = piece
	s.ready = append(s.ready, event)
}

// snapshot adds what a snapshot has that was not shown.
func (s *Stream) snapshot(w wire) {
	var message *runs.MessageView
	if json.Unmarshal(w.Message, &message) == nil && message != nil {
		s.steps(Event{RunID: w.RootRunID, Root: true, AgentPath: w.AgentPath}, message.Steps, message.ToolCalls)
	}
	s.agents(w.Run)
	for _, agent := range w.Agents {
		s.steps(Event{RunID: agent.RunID, AgentPath: agent.AgentPath}, agent.Steps, agent.ToolCalls)
	}
	for _, approval := range w.Approvals {
		s.once(Event{Type: runs.EventApprovalAsked, RunID: approval.RunID, Root: approval.RunID == w.RootRunID,
			AgentPath: approval.AgentPath, Approval: approval}, approval.ID)
	}
}
