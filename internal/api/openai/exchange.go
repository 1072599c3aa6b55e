package openai

import (
	"context"
	"net/http"
	"strings"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// idPrefix begins the ids of calls that clients get.
const idPrefix = "call_"

// ApprovalHeader says what becomes of a call that needs an approval: "wait" keeps the
// answer open until a person has decided; else the answer ends with a refusal.
const ApprovalHeader = "X-NanoClaw-Approval"

// asked is what both interfaces ask for.
type asked struct {
	model          string
	messages       []turn.Message
	start          runs.StartRequest
	conversationID string // continue this one; empty: a hidden one is made
	afterRun       string // continue behind the answer of this run
	wait           bool   // for approvals
	approvals      []approvalResponse
}

// exchange is a run with the place in its events where the answer begins.
type exchange struct {
	run         *runs.RunView
	cursor      string // empty: from its first event
	before      runs.Usage
	clientTools map[string]bool
	stateless   bool // nobody but this client can find the answer
	wait        bool
}

// begin starts the run that is asked for, or lets the one go on whose calls have their
// results or decisions here.
func (h *handler) begin(ctx context.Context, req asked) (*exchange, error) {
	user := h.User(ctx)
	agent, modelID, err := h.resolve(req.model)
	if err != nil {
		return nil, err
	}
	if err := runs.CheckClientTools(req.start.ClientTools); err != nil {
		return nil, err
	}
	x := &exchange{wait: req.wait}
	_, _, fresh := turn.Split(req.messages)
	results, answers := turn.Results(fresh)
	switch {
	case len(req.approvals) > 0:
		x.cursor = h.Runs.EventsCursor()
		x.run, err = h.decide(ctx, user, req)
	case answers:
		for i := range results {
			results[i].CallID = strings.TrimPrefix(results[i].CallID, idPrefix)
		}
		x.run, x.cursor, err = h.Runs.AnswerClientCalls(ctx, user, results)
	default:
		x.stateless = req.conversationID == "" && req.afterRun == ""
		req.start.Model = modelID
		x.run, err = h.start(ctx, turn.Request{UserID: user, Agent: agent, Messages: req.messages, Start: req.start,
			Hidden: true}, req, fresh)
	}
	if err != nil {
		return nil, err
	}
	if x.cursor != "" {
		x.before = x.run.Usage
	}
	stored, err := h.Store.Run(ctx, user, x.run.ID)
	if err != nil {
		return nil, err
	}
	x.clientTools = map[string]bool{}
	for _, tool := range stored.Settings.ClientTools {
		x.clientTools[tool.Name] = true
	}
	return x, nil
}

func (h *handler) start(ctx context.Context, made turn.Request, req asked,
	fresh []turn.Message) (*runs.RunView, error) {
	if len(fresh) == 0 {
		return nil, wrong("messages", "the last message must be the user's, or the result of a tool call")
	}
	if req.afterRun != "" {
		before, err := h.Store.Run(ctx, made.UserID, req.afterRun)
		if store.IsCode(err, store.CodeNotFound) {
			return nil, &requestError{http.StatusNotFound, "previous_response_id", "not_found",
				"there is no response with this id"}
		}
		if err != nil {
			return nil, err
		}
		req.conversationID = before.ConversationID
		if models.RunEnded(before.Status) {
			made.Start.Parent = &before.AssistantMessageID
		}
	}
	if req.conversationID != "" {
		return turn.Begin(ctx, h.Store, h.Runs, made, req.conversationID, fresh)
	}
	return turn.Open(ctx, h.Store, h.Runs, made)
}

// How an answer ends.
const (
	endStop      = "stop"
	endLength    = "length"
	endToolCalls = "tool_calls"
	endApproval  = "approval"
	endFailed    = "failed"
)

// outcome is how an answer ended.
type outcome struct {
	end      string
	calls    []tools.Invocation // of endToolCalls
	approval *runs.ApprovalView // of endApproval
	failure  *runs.Failure      // of endFailed
	run      *runs.RunView
	usage    runs.Usage // of this answer alone
}

// follow hands on what happens until the answer ends: with the run, with calls that the
// client has to make, or with a call that needs an approval. each gets every event of
// the run and those below it; idle is called after silence.
func (h *handler) follow(ctx context.Context, x *exchange, each func(turn.Event) error,
	idle func() error) (*outcome, error) {
	open := map[string]bool{} // client calls that neither wait nor have ended
	var done *outcome
	over, err := h.Follow(ctx, wire.Walk{RunID: x.run.ID, Cursor: x.cursor, Idle: idle,
		Each: func(event turn.Event) (bool, error) {
			err := each(event)
			if err == nil {
				done, err = h.endsWith(ctx, x, event, open)
			}
			return done != nil, err
		}})
	if over {
		return h.ended(ctx, x, nil)
	}
	return done, err
}

// endsWith says how the answer ends with an event; nil: it goes on.
func (h *handler) endsWith(ctx context.Context, x *exchange, event turn.Event, open map[string]bool) (*outcome, error) {
	own := event.Root && x.clientTools[event.Call.Function.Name]
	switch event.Type {
	case runs.EventCallStarted:
		if own {
			open[event.Call.ID] = true
		}
	case runs.EventCallWaiting, runs.EventCallFinished:
		if delete(open, event.Call.ID); own && len(open) == 0 {
			return h.endsWithCalls(ctx, x)
		}
	case runs.EventApprovalAsked:
		if !x.wait && event.Approval.Status == models.ApprovalPending {
			return h.endsWithApproval(ctx, x, event.Approval)
		}
	case runs.EventRunFinished:
		if event.Root && event.RunID == x.run.ID && !h.Continued(ctx, event) {
			return h.ended(ctx, x, event.Failure)
		}
	}
	return nil, nil
}

// endsWithCalls ends the answer with the calls that wait for the client; nil: none does.
func (h *handler) endsWithCalls(ctx context.Context, x *exchange) (*outcome, error) {
	calls, err := h.Runs.WaitingClientCalls(ctx, h.User(ctx), x.run.ID)
	if err != nil || len(calls) == 0 {
		return nil, err
	}
	done, err := h.ended(ctx, x, nil)
	if err == nil {
		done.end, done.calls = endToolCalls, calls
	}
	return done, err
}

// endsWithApproval ends the answer with a call that needs an approval; nil: it was
// decided meanwhile.
func (h *handler) endsWithApproval(ctx context.Context, x *exchange, asked *runs.ApprovalView) (*outcome, error) {
	now, err := h.Store.GetApproval(ctx, h.User(ctx), asked.ID)
	if err != nil || now.Status != models.ApprovalPending {
		return nil, err
	}
	done, err := h.ended(ctx, x, nil)
	if err == nil {
		done.end, done.approval = endApproval, asked
	}
	return done, err
}

// ended reads how the run is now.
func (h *handler) ended(ctx context.Context, x *exchange, failure *runs.Failure) (*outcome, error) {
	run, err := h.Runs.Run(ctx, h.User(ctx), x.run.ID)
	if err != nil {
		return nil, err
	}
	done := &outcome{end: endStop, run: run, usage: runs.Usage{
		PromptTokens:     max(run.Usage.PromptTokens-x.before.PromptTokens, 0),
		CompletionTokens: max(run.Usage.CompletionTokens-x.before.CompletionTokens, 0),
	}}
	done.usage.TotalTokens = done.usage.PromptTokens + done.usage.CompletionTokens
	switch run.Status {
	case models.RunCompleted:
		if run.Incomplete {
			done.end = endLength
		}
	case models.RunFailed, models.RunCancelled, models.RunInterrupted:
		done.end, done.failure = endFailed, failure
		if done.failure == nil {
			done.failure = run.Error
		}
		if done.failure == nil {
			done.failure = &runs.Failure{Code: run.Status, Message: "the run was " + run.Status}
		}
	}
	return done, nil
}

// abandon stops a run whose answer nobody can get any more.
func (h *handler) abandon(ctx context.Context, x *exchange) {
	if !x.stateless {
		return
	}
	ctx = context.WithoutCancel(ctx)
	if _, err := h.Runs.Cancel(ctx, h.User(ctx), x.run.ID); err != nil {
		h.Logger.Warn("a run whose client has left could not be cancelled", "run", x.run.ID, "error", err)
	}
}

// statusOf is the HTTP status of a run's failure.
func statusOf(failure *runs.Failure) int {
	switch failure.Code {
	case "model_rate_limited", "rate_limited", "budget_exceeded":
		return http.StatusTooManyRequests
	case "model_context_overflow":
		return http.StatusBadRequest
	case "cancelled":
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

// link is where a person finds the conversation in the web app.
func link(r *http.Request, conversationID string) string {
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host + "/c/" + conversationID
}

// refusal is what a client is told about a call that needs an approval.
func refusal(r *http.Request, approval *runs.ApprovalView) string {
	var why string
	if len(approval.Findings) > 0 {
		why = " (" + approval.Findings[0].Message + ")"
	}
	return "The call of " + approval.ToolCall.Function.Name + " needs a person's approval" + why +
		" and was not made. Decide at " + link(r, approval.ConversationID) + " ; the work then goes on there."
}
