package aisdk

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

type object = map[string]any

// writer turns a run's events into the chunks of one assistant's message.
type writer struct {
	*answer
	events   *wire.Events
	open     string // kind of the text under way: text, reasoning, or empty
	parts    int    // texts so far: they need ids of their own
	step     string // of the model, or of a sub-agent's calls
	denied   map[string]bool
	finished bool
}

// stream sends the answer until it is complete, or waits for the client.
func (h *handler) stream(w http.ResponseWriter, r *http.Request, of *answer) error {
	ctx := r.Context()
	w.Header().Set("x-vercel-ai-ui-message-stream", "v1")
	w.Header().Set("X-Conversation-Id", of.run.ConversationID)
	w.Header().Set("X-Run-Id", of.run.ID)
	out := &writer{answer: of, events: wire.NewEvents(w), denied: map[string]bool{}}
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
		err = out.send("error", object{"errorText": code + ": " + message})
	}
	if err != nil || ctx.Err() != nil {
		return nil // the client has left; the run goes on
	}
	_ = out.events.Done() // the same
	return nil
}

func (w *writer) send(kind string, fields object) error {
	if fields == nil {
		fields = object{}
	}
	fields["type"] = kind
	return w.events.Send("", fields)
}

func (w *writer) begin() error {
	return w.send("start", object{"messageId": w.run.AssistantMessageID,
		"messageMetadata": metadata{ConversationID: w.run.ConversationID, RunID: w.run.ID}})
}

func (w *writer) add(event turn.Event) error {
	if !event.Root {
		return w.addBelow(event)
	}
	switch event.Type {
	case runs.EventThinkingDelta:
		return w.text("reasoning", event)
	case runs.EventTextDelta:
		return w.text("text", event)
	case runs.EventCallStarted:
		return errors.Join(w.goTo(event.StepID), w.showCall(event.Call, ""))
	case runs.EventCallFinished:
		return errors.Join(w.showCall(event.Call, ""), w.showResult(event.Call))
	case runs.EventApprovalResolved:
		return w.resolved(event.Approval)
	case runs.EventRunFinished:
		return w.finish(event.Run, event.Failure)
	}
	return nil
}

// addBelow shows a sub-agent as a data part, and of its calls those that were asked about.
func (w *writer) addBelow(event turn.Event) error {
	switch event.Type {
	case runs.EventAgentStarted, runs.EventAgentFinished:
		data := object{"name": event.TaskName, "path": event.AgentPath, "runId": event.RunID}
		if event.Run != nil {
			data["status"] = event.Run.Status
		}
		if event.Type == runs.EventAgentFinished {
			data["response"] = event.Response
		}
		return w.send("data-agent", object{"id": event.RunID, "data": data})
	case runs.EventCallFinished:
		if w.shown[event.Call.ID] {
			return w.showResult(event.Call)
		}
	case runs.EventApprovalResolved:
		return w.resolved(event.Approval)
	}
	return nil
}

func (w *writer) text(kind string, event turn.Event) error {
	if err := w.goTo(event.StepID); err != nil {
		return err
	}
	if w.open != kind {
		if err := w.closeText(); err != nil {
			return err
		}
		w.open = kind
		w.parts++
		if err := w.send(kind+"-start", object{"id": w.partID()}); err != nil {
			return err
		}
	}
	return w.send(kind+"-delta", object{"id": w.partID(), "delta": event.Text})
}

func (w *writer) partID() string { return w.open + "-" + strconv.Itoa(w.parts) }

func (w *writer) closeText() error {
	if w.open == "" {
		return nil
	}
	err := w.send(w.open+"-end", object{"id": w.partID()})
	w.open = ""
	return err
}

// goTo begins a step, unless it is under way.
func (w *writer) goTo(step string) error {
	if step == w.step {
		return nil
	}
	if err := w.closeStep(); err != nil {
		return err
	}
	w.step = step
	return w.send("start-step", nil)
}

func (w *writer) closeStep() error {
	if err := w.closeText(); err != nil || w.step == "" {
		return err
	}
	w.step = ""
	return w.send("finish-step", nil)
}

// showCall shows a call once.
func (w *writer) showCall(call tools.Record, title string) error {
	if w.shown[call.ID] {
		return nil
	}
	w.shown[call.ID] = true
	if err := w.closeText(); err != nil {
		return err
	}
	fields := object{"toolCallId": call.ID, "toolName": call.Function.Name, "dynamic": true,
		"input": parsed(call.Function.Arguments), "providerExecuted": !w.clientTools[call.Function.Name]}
	if title != "" {
		fields["title"] = title
	}
	return w.send("tool-input-available", fields)
}

func (w *writer) showResult(call tools.Record) error {
	if w.denied[call.ID] {
		return nil
	}
	fields := object{"toolCallId": call.ID, "dynamic": true,
		"providerExecuted": !w.clientTools[call.Function.Name]}
	if !call.Success {
		fields["errorText"] = failureOf(call.Result)
		return w.send("tool-output-error", fields)
	}
	fields["output"] = parsed(call.Result)
	if err := w.send("tool-output-available", fields); err != nil {
		return err
	}
	for _, image := range call.Images {
		err := w.send("file", object{"url": "/api/v1/uploads/" + image.UploadID, "mediaType": image.ContentType})
		if err != nil {
			return err
		}
	}
	return nil
}

// resolved shows that a call was denied; of one that was approved the result follows.
func (w *writer) resolved(approval *runs.ApprovalView) error {
	if approval.Status == models.ApprovalApproved || !w.shown[approval.ToolCall.ID] {
		return nil
	}
	w.denied[approval.ToolCall.ID] = true
	return w.send("tool-output-denied", object{"toolCallId": approval.ToolCall.ID})
}

// waits ends the stream with what the client has to decide or to answer.
func (w *writer) waits(wanted wire.Waiting) (bool, error) {
	for _, approval := range wanted.Approvals {
		if err := w.ask(approval); err != nil {
			return true, err
		}
	}
	return true, w.end(object{"finishReason": "tool-calls", "messageMetadata": metadata{
		ConversationID: w.run.ConversationID, RunID: w.run.ID, Cursor: wanted.Cursor}})
}

func (w *writer) ask(approval *runs.ApprovalView) error {
	call, title := approval.ToolCall, ""
	if approval.RunID != approval.RootRunID {
		title = approval.AgentPath
		if err := w.goTo(approval.RunID); err != nil { // clients look at the calls of the last step
			return err
		}
	}
	err := w.showCall(tools.Record{ID: call.ID, Function: call.Function}, title)
	if err != nil {
		return err
	}
	return w.send("tool-approval-request", object{"approvalId": approval.ID, "toolCallId": call.ID})
}

// finish ends the stream as the run has ended.
func (w *writer) finish(run *runs.RunView, failure *runs.Failure) error {
	if failure == nil {
		failure = &runs.Failure{Code: run.Status, Message: "the run was " + run.Status}
	}
	switch run.Status {
	case models.RunCompleted:
		reason := "stop"
		if run.Incomplete {
			reason = "length"
		}
		return w.end(object{"finishReason": reason})
	case models.RunCancelled:
		w.finished = true
		return errors.Join(w.closeStep(), w.send("abort", object{"reason": failure.Message}))
	}
	w.finished = true
	return errors.Join(w.closeStep(), w.send("error", object{"errorText": failure.Code + ": " + failure.Message}))
}

func (w *writer) end(fields object) error {
	w.finished = true
	return errors.Join(w.closeStep(), w.send("finish", fields))
}

// parsed is JSON as it is, and other text as a JSON text.
func parsed(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

// failureOf is why a call failed.
func failureOf(result string) string {
	var told struct {
		Error string `json:"error"`
	}
	if json.Unmarshal([]byte(result), &told) == nil && told.Error != "" {
		return told.Error
	}
	return result
}
