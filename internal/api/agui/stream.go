package agui

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

type object = map[string]any

// writer turns a run's events into those of the protocol.
type writer struct {
	*going
	in       *input
	events   *wire.Events
	agents   map[string]*speaker // by run; the root run's too
	order    []*speaker          // as they began
	shown    map[string]bool     // calls
	parts    int                 // texts so far: they need ids of their own
	finished bool
}

// stream sends the run until it has ended, or waits for the client.
func (h *handler) stream(w http.ResponseWriter, r *http.Request, in *input, of *going) error {
	ctx := r.Context()
	w.Header().Set("X-Conversation-Id", of.run.ConversationID)
	w.Header().Set("X-Run-Id", of.run.ID)
	out := &writer{going: of, in: in, events: wire.NewEvents(w), agents: map[string]*speaker{}, shown: map[string]bool{}}
	out.agents[of.run.ID] = &speaker{}
	out.order = append(out.order, out.agents[of.run.ID])
	out.noteShown()
	err := out.begin()
	if err == nil {
		_, err = h.Follow(ctx, wire.Walk{RunID: of.run.ID, Cursor: of.cursor, Each: func(e turn.Event) (bool, error) {
			if e.Type == runs.EventRunFinished && h.Continued(ctx, e) {
				return false, nil
			}
			err := out.add(e)
			return out.finished, err
		}, Waits: out.waits, Idle: out.events.Idle})
	}
	if err == nil && !out.finished {
		run, missing := h.Runs.Run(ctx, h.User(ctx), of.run.ID)
		if err = missing; err == nil {
			err = out.finish(run, run.Error)
		}
	}
	if err != nil && ctx.Err() == nil {
		_, code, message := h.Explain(ctx, err)
		_ = out.send("RUN_ERROR", object{"message": message, "code": code}) // a client that has left is nobody's error
	}
	return nil
}

func (w *writer) send(kind string, fields object) error {
	fields["type"] = kind
	return w.events.Send("", fields)
}

func (w *writer) begin() error {
	err := w.send("RUN_STARTED", object{"threadId": w.in.ThreadID, "runId": w.in.RunID, "protocolVersion": "1.0"})
	if err == nil && w.again {
		err = w.send("MESSAGES_SNAPSHOT", object{"messages": w.in.asked()})
	}
	if err == nil {
		err = w.state(w.run.Status, "")
	}
	return err
}

// noteShown notes the calls that the client's messages have.
func (w *writer) noteShown() {
	for _, one := range w.in.Messages {
		for _, call := range one.ToolCalls {
			w.shown[call.ID] = !w.again
		}
	}
}

// asked are the messages up to the last one of the user.
func (in *input) asked() []message {
	n := len(in.Messages)
	for n > 0 && in.Messages[n-1].Role != turn.User {
		n--
	}
	return append([]message{}, in.Messages[:n]...)
}

// state sends the client's state with what this server adds to it.
func (w *writer) state(status, cursor string) error {
	snapshot := object{}
	_ = json.Unmarshal(w.in.State, &snapshot) // what is no object cannot be added to
	if snapshot == nil {
		snapshot = object{}
	}
	snapshot["nanoclaw"] = own{w.run.ConversationID, w.run.ID, status, cursor}
	return w.send("STATE_SNAPSHOT", object{"snapshot": snapshot})
}

func (w *writer) add(event turn.Event) error {
	switch event.Type {
	case runs.EventAgentStarted:
		_, err := w.speaker(event)
		return err
	case runs.EventAgentFinished:
		return w.agentFinished(event)
	case runs.EventRunFinished:
		if !event.Root {
			return nil
		}
		return w.finish(event.Run, event.Failure)
	case runs.EventThinkingDelta, runs.EventTextDelta, runs.EventCallStarted, runs.EventCallFinished:
		who, err := w.speaker(event)
		if err != nil {
			return err
		}
		return w.says(who, event)
	}
	return nil
}

func (w *writer) says(who *speaker, event turn.Event) error {
	switch event.Type {
	case runs.EventThinkingDelta:
		return w.text(who, reasoningKind, event)
	case runs.EventTextDelta:
		return w.text(who, textKind, event)
	case runs.EventCallStarted:
		return errors.Join(w.goTo(who, event.StepID), w.showCall(who, event.Call))
	}
	if err := w.showCall(who, event.Call); err != nil || w.clientTools[event.Call.Function.Name] && event.Root {
		return err // the client has the result of its own call
	}
	return w.send("TOOL_CALL_RESULT", who.tag(object{"messageId": event.Call.ID + "-result",
		"toolCallId": event.Call.ID, "content": event.Call.Result, "role": "tool"}))
}

// showCall shows a call once.
func (w *writer) showCall(who *speaker, call tools.Record) error {
	if w.shown[call.ID] {
		return nil
	}
	w.shown[call.ID] = true
	if err := w.closeText(who); err != nil {
		return err
	}
	start := object{"toolCallId": call.ID, "toolCallName": call.Function.Name}
	if who.message != "" {
		start["parentMessageId"] = who.message
	}
	return errors.Join(w.send("TOOL_CALL_START", who.tag(start)),
		w.send("TOOL_CALL_ARGS", who.tag(object{"toolCallId": call.ID, "delta": call.Function.Arguments})),
		w.send("TOOL_CALL_END", who.tag(object{"toolCallId": call.ID})))
}

// waits ends the protocol's run with what the client has to decide or to answer.
func (w *writer) waits(wanted wire.Waiting) (bool, error) {
	w.finished = true
	interrupts, calls := []object{}, []string{}
	suspended := map[string][]string{}
	for _, approval := range wanted.Approvals {
		interrupt := object{"id": approval.ID, "reason": "approval", "toolCallId": approval.ToolCall.ID,
			"message": question(approval), "responseSchema": answerSchema,
			"metadata": object{"tool": approval.ToolCall.Function.Name, "arguments": approval.ToolCall.Function.Arguments}}
		if approval.ExpiresAt != 0 {
			interrupt["expiresAt"] = approval.ExpiresAt
		}
		if approval.RunID != approval.RootRunID {
			interrupt["subagentRunId"] = approval.RunID
			suspended[approval.RunID] = append(suspended[approval.RunID], approval.ID)
		}
		interrupts = append(interrupts, interrupt)
	}
	for _, call := range wanted.Calls {
		calls = append(calls, call.ID)
	}
	err := w.closeAll(suspended)
	if err == nil {
		err = w.state(wanted.Run.Status, wanted.Cursor)
	}
	if err != nil {
		return true, err
	}
	outcome := object{"type": "interrupt", "interrupts": interrupts}
	if len(interrupts) == 0 {
		outcome = object{"type": "success", "pendingToolCallIds": calls}
	}
	return true, w.runFinished(outcome, nil)
}

// answerSchema is what the payload of an answer to an interrupt looks like.
var answerSchema = object{"type": "object", "required": []string{"approved"}, "properties": object{
	"approved":  object{"type": "boolean"},
	"reason":    object{"type": "string", "description": "Of a denial; the model sees it."},
	"arguments": object{"type": "object", "description": "Of an approval: what runs instead of what was asked."},
}}

func question(approval *runs.ApprovalView) string {
	text := fmt.Sprintf("%s wants to call %s", approval.AgentPath, approval.ToolCall.Function.Name)
	if len(approval.Findings) > 0 {
		text += ": " + approval.Findings[0].Message
	}
	return text
}

// finish ends the protocol's run as the run has ended.
func (w *writer) finish(run *runs.RunView, failure *runs.Failure) error {
	w.finished = true
	if err := w.closeAll(nil); err != nil {
		return err
	}
	if err := w.state(run.Status, ""); err != nil {
		return err
	}
	usage := []object{{"model": run.Model, "inputTokens": run.Usage.PromptTokens,
		"outputTokens": run.Usage.CompletionTokens, "totalTokens": run.Usage.TotalTokens}}
	switch run.Status {
	case models.RunCompleted:
		return w.runFinished(object{"type": "success"}, usage)
	case models.RunCancelled:
		return w.runFinished(object{"type": "cancelled"}, usage)
	}
	if failure == nil {
		failure = &runs.Failure{Code: run.Status, Message: "the run was " + run.Status}
	}
	return w.send("RUN_ERROR", object{"message": failure.Message, "code": failure.Code, "usage": usage})
}

func (w *writer) runFinished(outcome object, usage []object) error {
	fields := object{"threadId": w.in.ThreadID, "runId": w.in.RunID, "outcome": outcome}
	if usage != nil {
		fields["usage"] = usage
	}
	return w.send("RUN_FINISHED", fields)
}
