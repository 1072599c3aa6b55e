package agui

import (
	"errors"
	"fmt"
	"strings"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/models"
)

// speaker is the root agent or a sub-agent, with what it has open.
type speaker struct {
	id      string // of a sub-agent
	steps   int
	step    string // under way
	kind    *framing
	part    string // the text under way; empty: none
	message string // the last text of this step
	ended   bool
}

// framing says how a kind of text is framed.
type framing struct {
	start, content, end []string
	role                string
}

var (
	textKind = &framing{[]string{"TEXT_MESSAGE_START"}, []string{"TEXT_MESSAGE_CONTENT"},
		[]string{"TEXT_MESSAGE_END"}, "assistant"}
	reasoningKind = &framing{[]string{"REASONING_START", "REASONING_MESSAGE_START"},
		[]string{"REASONING_MESSAGE_CONTENT"}, []string{"REASONING_MESSAGE_END", "REASONING_END"}, "reasoning"}
)

// tag says that an event is a sub-agent's.
func (s *speaker) tag(fields object) object {
	if s.id != "" {
		fields["subagentRunId"] = s.id
	}
	return fields
}

// speaker is whose event it is; a sub-agent is shown before what it says.
func (w *writer) speaker(event turn.Event) (*speaker, error) {
	if event.Root {
		return w.agents[w.run.ID], nil
	}
	if found := w.agents[event.RunID]; found != nil {
		return found, nil
	}
	made := &speaker{id: event.RunID}
	w.agents[event.RunID] = made
	w.order = append(w.order, made)
	name := event.TaskName
	if name == "" {
		name = event.AgentPath
	}
	start := object{"subagentRunId": made.id, "name": name}
	if event.Run != nil && event.Run.ParentCallID != nil {
		start["parentToolCallId"] = *event.Run.ParentCallID
	}
	if event.Run != nil && event.Run.ParentRunID != nil && *event.Run.ParentRunID != w.run.ID &&
		w.agents[*event.Run.ParentRunID] != nil {
		start["parentSubagentRunId"] = *event.Run.ParentRunID
	}
	return made, w.send("SUBAGENT_STARTED", start)
}

func (w *writer) agentFinished(event turn.Event) error {
	who, err := w.speaker(event)
	if err != nil || who.ended {
		return err
	}
	who.ended = true
	if err := w.closeStep(who); err != nil {
		return err
	}
	if event.Run != nil && event.Run.Status != models.RunCompleted {
		text := event.Response
		if text == "" {
			text = "the sub-agent was " + event.Run.Status
		}
		return w.send("SUBAGENT_ERROR", who.tag(object{"message": text}))
	}
	return w.send("SUBAGENT_FINISHED", who.tag(object{"result": event.Response, "outcome": object{"type": "success"}}))
}

// goTo begins a step, unless it is under way.
func (w *writer) goTo(who *speaker, step string) error {
	if who.step == step {
		return nil
	}
	if err := w.closeStep(who); err != nil {
		return err
	}
	who.step, who.message = step, ""
	who.steps++
	return w.send("STEP_STARTED", who.tag(object{"stepName": who.stepName()}))
}

func (s *speaker) stepName() string { return fmt.Sprintf("step %d", s.steps) }

func (w *writer) closeStep(who *speaker) error {
	if err := w.closeText(who); err != nil || who.step == "" {
		return err
	}
	who.step = ""
	return w.send("STEP_FINISHED", who.tag(object{"stepName": who.stepName()}))
}

func (w *writer) text(who *speaker, kind *framing, event turn.Event) error {
	if err := w.goTo(who, event.StepID); err != nil {
		return err
	}
	if who.part == "" || who.kind != kind {
		if err := w.closeText(who); err != nil {
			return err
		}
		w.parts++
		who.kind, who.part = kind, fmt.Sprintf("%s-%d", event.StepID, w.parts)
		if kind == textKind {
			who.message = who.part
		}
		if err := w.frame(who, kind.start, object{}); err != nil {
			return err
		}
	}
	return w.frame(who, kind.content, object{"delta": event.Text})
}

func (w *writer) closeText(who *speaker) error {
	if who.part == "" {
		return nil
	}
	err := w.frame(who, who.kind.end, object{})
	who.part = ""
	return err
}

func (w *writer) frame(who *speaker, kinds []string, fields object) error {
	fields["messageId"] = who.part
	var failed error
	for _, kind := range kinds {
		if delete(fields, "role"); strings.HasSuffix(kind, "MESSAGE_START") {
			fields["role"] = who.kind.role
		}
		failed = errors.Join(failed, w.send(kind, who.tag(fields)))
	}
	return failed
}

// closeAll ends what is open, the newest first; suspended are the interrupts that
// sub-agents wait for.
func (w *writer) closeAll(suspended map[string][]string) error {
	for i := len(w.order) - 1; i >= 0; i-- {
		who := w.order[i]
		if err := w.closeStep(who); err != nil {
			return err
		}
		if who.id == "" || who.ended {
			continue
		}
		who.ended = true
		outcome := object{"type": "suspended"}
		if ids := suspended[who.id]; len(ids) > 0 {
			outcome["interruptIds"] = ids
		}
		if err := w.send("SUBAGENT_FINISHED", who.tag(object{"outcome": outcome})); err != nil {
			return err
		}
	}
	return nil
}
