package a2a

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
)

// states are those of the protocol, by a run's.
var states = map[string]string{
	models.RunQueued: "TASK_STATE_SUBMITTED", models.RunRunning: "TASK_STATE_WORKING",
	models.RunWaitingApproval: "TASK_STATE_INPUT_REQUIRED", models.RunCompleted: "TASK_STATE_COMPLETED",
	models.RunFailed: "TASK_STATE_FAILED", models.RunInterrupted: "TASK_STATE_FAILED",
	models.RunCancelled: "TASK_STATE_CANCELED",
}

// send starts a task and answers with it as it ends or waits.
func (h *handler) send(w http.ResponseWriter, r *http.Request, c *call) error {
	ctx := r.Context()
	var params sendParams
	if err := c.params(&params); err != nil {
		return err
	}
	run, cursor, err := h.begin(ctx, c, &params)
	if err != nil {
		return err
	}
	if !params.Configuration.ReturnImmediately {
		_, err := h.Follow(ctx, wire.Walk{RunID: run.ID, Cursor: cursor,
			Each:  func(e turn.Event) (bool, error) { return h.ends(ctx, e), nil },
			Waits: func(wire.Waiting) (bool, error) { return true, nil }})
		if err != nil {
			return err
		}
	}
	view, err := h.view(ctx, run.ID, params.Configuration.HistoryLength)
	if err != nil {
		return err
	}
	return c.answer(w, object{"task": view})
}

func (h *handler) getTask(w http.ResponseWriter, r *http.Request, c *call) error {
	var params taskParams
	if err := cmp.Or(c.params(&params), params.check()); err != nil {
		return err
	}
	run, err := h.task(r.Context(), params.ID)
	if err != nil {
		return err
	}
	view, err := h.view(r.Context(), run.ID, params.HistoryLength)
	if err != nil {
		return err
	}
	return c.answer(w, view)
}

func (h *handler) cancelTask(w http.ResponseWriter, r *http.Request, c *call) error {
	ctx := r.Context()
	var params taskParams
	if err := c.params(&params); err != nil {
		return err
	}
	run, err := h.task(ctx, params.ID)
	if err != nil {
		return err
	}
	if models.RunEnded(run.Status) {
		return fail(taskNotCancelable, "the task has ended: it is %s", run.Status)
	}
	if _, err := h.Runs.Cancel(ctx, h.User(ctx), run.ID); err != nil {
		return err
	}
	_, err = h.Follow(ctx, wire.Walk{RunID: run.ID, Cursor: wire.FromSnapshot,
		Each: func(e turn.Event) (bool, error) { return h.ends(ctx, e), nil }})
	if err != nil {
		return err
	}
	view, err := h.view(ctx, run.ID, nil)
	if err != nil {
		return err
	}
	return c.answer(w, view)
}

// ends says whether an event is the end of the task.
func (h *handler) ends(ctx context.Context, event turn.Event) bool {
	return event.Type == runs.EventRunFinished && event.Root && !h.Continued(ctx, event)
}

// view is a task as it is.
func (h *handler) view(ctx context.Context, id string, historyLength *int) (object, error) {
	run, err := h.Store.Run(ctx, h.User(ctx), id)
	if err != nil {
		return nil, err
	}
	return h.viewRun(ctx, run, historyLength, true)
}

func (h *handler) viewRun(ctx context.Context, run *models.Run, historyLength *int, artifacts bool) (object, error) {
	var approvals []*runs.ApprovalView
	if run.Status == models.RunWaitingApproval {
		waiting, err := h.Store.PendingApprovals(ctx, run.ID)
		if err != nil {
			return nil, err
		}
		for _, approval := range waiting {
			approvals = append(approvals, h.Runs.ViewApproval(approval))
		}
	}
	view := runs.ViewRun(run)
	task := head(view)
	task["status"] = statusOf(view, approvals)
	if historyLength == nil || *historyLength > 0 {
		said, err := h.history(ctx, run)
		if err != nil {
			return nil, err
		}
		if historyLength != nil {
			said = said[max(0, len(said)-*historyLength):]
		}
		task["history"] = said
	}
	if !artifacts {
		return task, nil
	}
	steps, _, err := h.Store.Steps(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	list := []object{}
	for _, step := range steps {
		if step.Text != "" {
			list = append(list, artifact(step.ID, step.Text))
		}
	}
	task["artifacts"] = list
	return task, nil
}

// history is what the client has said in a task, in order.
func (h *handler) history(ctx context.Context, run *models.Run) ([]object, error) {
	said := []object{}
	add := func(id, text string) {
		said = append(said, object{"messageId": id, "role": "ROLE_USER", "taskId": run.ID,
			"contextId": run.ConversationID, "parts": []object{{"text": text}}})
	}
	asked, err := h.Store.GetMessage(ctx, h.User(ctx), run.UserMessageID)
	if err == nil {
		add(asked.ID, asked.Text)
	} else if !store.IsCode(err, store.CodeNotFound) { // else it was deleted
		return nil, err
	}
	for _, message := range run.Steering {
		add(message.ID, message.Text)
	}
	return said, nil
}

// head is a task without what it has said.
func head(run *runs.RunView) object {
	return object{"id": run.ID, "contextId": run.ConversationID, "status": statusOf(run, nil),
		"metadata": object{"agent": run.Agent, "model": run.Model, "usage": run.Usage}}
}

func artifact(id, text string) object {
	return object{"artifactId": id, "name": "answer", "parts": []object{{"text": text, "mediaType": "text/plain"}}}
}

// statusOf is a task's status: what it waits for, and why it failed, stand in its message.
func statusOf(run *runs.RunView, approvals []*runs.ApprovalView) object {
	at := cmp.Or(run.FinishedAt, run.StartedAt, run.CreatedAt)
	status := object{"state": states[run.Status], "timestamp": at.Std().Format(time.RFC3339Nano)}
	parts := []object{}
	for _, approval := range approvals {
		parts = append(parts, object{"data": object{"approval_id": approval.ID,
			"tool": approval.ToolCall.Function.Name, "arguments": approval.ToolCall.Function.Arguments,
			"findings": approval.Findings, "agent_path": approval.AgentPath}})
	}
	if len(parts) > 0 {
		parts = append(parts, object{"text": wantedAnswer})
	}
	if run.Error != nil {
		parts = append(parts, object{"text": run.Error.Code + ": " + run.Error.Message})
	}
	if len(parts) > 0 {
		status["message"] = object{"messageId": run.ID + "-" + run.Status, "role": "ROLE_AGENT", "taskId": run.ID,
			"contextId": run.ConversationID, "parts": parts}
	}
	return status
}
