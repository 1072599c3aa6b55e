package a2a

import (
	"context"
	"net/http"
	"time"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
)

// sendStreaming starts a task and streams what happens until it ends or waits.
func (h *handler) sendStreaming(w http.ResponseWriter, r *http.Request, c *call) error {
	ctx := r.Context()
	var params sendParams
	if err := c.params(&params); err != nil {
		return err
	}
	done, err := h.OpenStream(ctx)
	if err != nil {
		return err
	}
	defer done()
	run, cursor, err := h.begin(ctx, c, &params)
	if err != nil {
		return err
	}
	return h.stream(ctx, w, c, run, cursor)
}

// subscribe streams a task that is under way, with what it has said so far.
func (h *handler) subscribe(w http.ResponseWriter, r *http.Request, c *call) error {
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
		return fail(unsupportedOperation, "the task has ended: get it with GetTask")
	}
	done, err := h.OpenStream(ctx)
	if err != nil {
		return err
	}
	defer done()
	return h.stream(ctx, w, c, run, wire.FromSnapshot)
}

// writer turns a run's events into those of a task.
type writer struct {
	*call
	run    *runs.RunView
	events *wire.Events
	begun  map[string]bool // artifacts
}

func (h *handler) stream(ctx context.Context, w http.ResponseWriter, c *call, run *runs.RunView,
	cursor string) error {
	out := &writer{call: c, run: run, events: wire.NewEvents(w), begun: map[string]bool{}}
	first := head(run)
	if err := out.send("task", first); err != nil {
		return nil // the client has left; the run goes on
	}
	_, err := h.Follow(ctx, wire.Walk{RunID: run.ID, Cursor: cursor, Idle: out.events.Idle,
		Each: func(e turn.Event) (bool, error) {
			if h.ends(ctx, e) {
				return true, nil
			}
			return false, out.add(e)
		},
		Waits: func(wire.Waiting) (bool, error) { return true, nil }})
	var last object
	if err == nil {
		last, err = h.view(ctx, run.ID, nil)
	}
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		known, code := h.rpcError(ctx, err)
		_ = out.events.Send("", object{"jsonrpc": "2.0", "id": c.id(), "error": known.body(code)}) // the same
		return nil
	}
	_ = out.status(last["status"]) // the same
	return nil
}

func (w *writer) send(kind string, value any) error {
	return w.events.Send("", w.result(object{kind: value}))
}

func (w *writer) status(status any) error {
	return w.send("statusUpdate", object{"taskId": w.run.ID, "contextId": w.run.ConversationID, "status": status})
}

func (w *writer) add(event turn.Event) error {
	switch event.Type {
	case runs.EventTextDelta:
		if !event.Root {
			return nil
		}
		appended := w.begun[event.StepID]
		w.begun[event.StepID] = true
		return w.send("artifactUpdate", object{"taskId": w.run.ID, "contextId": w.run.ConversationID,
			"artifact": artifact(event.StepID, event.Text), "append": appended})
	case runs.EventCallStarted:
		return w.works(event, "calls "+event.Call.Function.Name, object{"tool_call_id": event.Call.ID,
			"tool": event.Call.Function.Name, "arguments": event.Call.Function.Arguments})
	case runs.EventCallFinished:
		return w.works(event, event.Call.Function.Name+" has answered", object{"tool_call_id": event.Call.ID,
			"tool": event.Call.Function.Name, "success": event.Call.Success, "result": event.Call.Result})
	case runs.EventAgentStarted:
		return w.works(event, "begins", object{"task_name": event.TaskName})
	case runs.EventAgentFinished:
		return w.works(event, "has ended", object{"task_name": event.TaskName, "response": event.Response})
	}
	return nil
}

// works tells what an agent does.
func (w *writer) works(event turn.Event, what string, data object) error {
	data["agent_path"] = event.AgentPath
	run := *w.run
	run.Status = models.RunRunning
	status := statusOf(&run, nil)
	status["timestamp"] = time.Now().UTC().Format(time.RFC3339Nano)
	status["message"] = object{"messageId": event.Cursor + "-" + event.Type, "role": "ROLE_AGENT", "taskId": w.run.ID,
		"contextId": w.run.ConversationID, "parts": []object{{"text": event.AgentPath + " " + what}, {"data": data}}}
	return w.status(status)
}
