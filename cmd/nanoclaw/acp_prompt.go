package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/coder/acp-go-sdk"

	events "nanoclaw/internal/api/turn"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
)

// Prompt implements acp.Agent: it starts a run and shows it to its end.
func (e *editorAgent) Prompt(ctx context.Context, params acp.PromptRequest) (acp.PromptResponse, error) {
	body, err := promptBody(params.Prompt)
	if err != nil {
		return acp.PromptResponse{}, err
	}
	if e.model != "" {
		body["model"] = e.model
	}
	var run struct{ ID string }
	// A cancelled prompt must not leave a run behind that nobody knows of.
	lasting := context.WithoutCancel(ctx)
	path := "/conversations/" + url.PathEscape(string(params.SessionId)) + "/runs"
	if err := e.api.call(lasting, http.MethodPost, path, body, &run); err != nil {
		return acp.PromptResponse{}, shown(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = e.api.cancel(lasting, run.ID) }) // the end of the run shows it
	defer stop()
	e.mu.Lock()
	shows := &prompt{editorAgent: e, session: params.SessionId, dir: e.dirs[params.SessionId],
		asked: map[string]context.CancelFunc{}}
	e.mu.Unlock()
	defer shows.asking.Wait()
	streaming, leave := context.WithCancel(lasting)
	defer leave() // ends questions that nobody answered
	reader := events.Reader()
	err = e.api.follow(streaming, run.ID, func(data []byte) error {
		list, err := reader.Read(data)
		for _, event := range list {
			if err == nil {
				err = shows.show(streaming, event)
			}
		}
		if shows.end != nil {
			leave()
		}
		return err
	})
	if shows.end == nil && err == nil {
		err = errors.New("the server ended the events before the run's end")
	}
	if err != nil && shows.end == nil {
		return acp.PromptResponse{}, shown(err)
	}
	return shows.response()
}

// prompt is one prompt of an editor under way.
type prompt struct {
	*editorAgent
	session acp.SessionId
	dir     string
	end     *events.Event // the run's

	asking sync.WaitGroup
	mu     sync.Mutex
	asked  map[string]context.CancelFunc // questions to the editor, by approval
}

func (p *prompt) show(ctx context.Context, event events.Event) error {
	switch event.Type {
	case runs.EventApprovalAsked:
		if event.Approval.Status == models.ApprovalPending {
			p.ask(ctx, event.Approval)
		}
	case runs.EventApprovalResolved:
		p.mu.Lock()
		if cancel := p.asked[event.Approval.ID]; cancel != nil {
			cancel()
		}
		p.mu.Unlock()
	case runs.EventRunFinished:
		if event.Root {
			p.end = &event
		}
	}
	for _, update := range updatesOf(event, p.dir) {
		if err := p.send(ctx, p.session, update); err != nil {
			return err
		}
	}
	return nil
}

// response is how the prompt ended. A run that was continued meanwhile has a later end.
func (p *prompt) response() (acp.PromptResponse, error) {
	run := p.end.Run
	switch {
	case run.Status == models.RunCancelled:
		return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
	case run.Status == models.RunCompleted && run.Incomplete:
		return acp.PromptResponse{StopReason: acp.StopReasonMaxTurnRequests}, nil
	case run.Status == models.RunCompleted:
		return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
	}
	failure := p.end.Failure
	if failure == nil {
		failure = &runs.Failure{Code: run.Status, Message: "the run was " + run.Status}
	}
	return acp.PromptResponse{}, &acp.RequestError{Code: -32603, Message: failure.Code + ": " + failure.Message,
		Data: map[string]any{"code": failure.Code, "run_id": run.ID}}
}

// Options of a permission.
const (
	allowOnce   = "allow"
	allowAlways = "allow_conversation"
	reject      = "reject"
)

// ask asks the person at the editor, beside the events that go on.
func (p *prompt) ask(ctx context.Context, approval *runs.ApprovalView) {
	ctx, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	p.asked[approval.ID] = cancel
	p.mu.Unlock()
	p.asking.Go(func() {
		defer cancel()
		call := approval.ToolCall
		options := []acp.PermissionOption{{OptionId: allowOnce, Name: "Allow", Kind: acp.PermissionOptionKindAllowOnce}}
		if len(approval.Coverages) > 0 {
			options = append(options, acp.PermissionOption{OptionId: allowAlways,
				Name: "Allow the same call in this conversation", Kind: acp.PermissionOptionKindAllowAlways})
		}
		options = append(options, acp.PermissionOption{OptionId: reject, Name: "Reject",
			Kind: acp.PermissionOptionKindRejectOnce})
		answer, err := p.conn.RequestPermission(ctx, acp.RequestPermissionRequest{SessionId: p.session,
			Options: options, ToolCall: acp.ToolCallUpdate{ToolCallId: acp.ToolCallId(call.ID),
				Title: acp.Ptr(titleOf(call.Function, approval.AgentPath)), Kind: acp.Ptr(kindOf(call.Function.Name)),
				Status: acp.Ptr(acp.ToolCallStatusPending), RawInput: parsed(call.Function.Arguments),
				Content: findingsOf(approval)}})
		if ctx.Err() != nil {
			return // somebody else has decided, or the run has ended
		}
		decided := decision{Decision: "deny", Reason: "the editor could not ask"}
		if err == nil && answer.Outcome.Selected != nil {
			decided = decisionOf(string(answer.Outcome.Selected.OptionId))
		} else if err == nil {
			decided.Reason = "the question was cancelled"
		}
		if err := p.api.call(ctx, http.MethodPost, "/approvals/"+approval.ID, decided, nil); err != nil {
			p.refuse(ctx, call.ID, err)
		}
	})
}

// refuse tells the person that a decision did not count: somebody was faster, or the
// server does not take it from this program.
func (p *prompt) refuse(ctx context.Context, callID string, err error) {
	var refusal *apiError
	if ctx.Err() != nil || errors.As(err, &refusal) && refusal.Status == http.StatusConflict {
		return
	}
	text := fmt.Sprintf("\n\nThe decision did not count: %v. Decide in the web app.\n\n", err)
	_ = p.send(ctx, p.session, acp.UpdateAgentMessageText(text)) // an editor that has left is nobody's error
}

func decisionOf(option string) decision {
	switch option {
	case allowOnce:
		return decision{Decision: "approve", Scope: "once"}
	case allowAlways:
		return decision{Decision: "approve", Scope: "conversation"}
	}
	return decision{Decision: "deny", Reason: "the person at the editor said no"}
}

// promptBody is the body of a run for the blocks of a prompt.
func promptBody(blocks []acp.ContentBlock) (map[string]any, error) {
	var texts []string
	var files []map[string]any
	for i, block := range blocks {
		switch {
		case block.Text != nil:
			texts = append(texts, block.Text.Text)
		case block.ResourceLink != nil:
			texts = append(texts, "@"+block.ResourceLink.Uri)
		case block.Resource != nil && block.Resource.Resource.TextResourceContents != nil:
			found := block.Resource.Resource.TextResourceContents
			texts = append(texts, fmt.Sprintf("%s:\n```\n%s\n```", found.Uri, found.Text))
		case block.Image != nil:
			_, kind, _ := strings.Cut(block.Image.MimeType, "/")
			files = append(files, map[string]any{"name": fmt.Sprintf("image-%d.%s", i+1, kind),
				"content_type": block.Image.MimeType, "data": block.Image.Data})
		default:
			return nil, acp.NewInvalidParams(map[string]any{
				"details": fmt.Sprintf("prompt[%d]: send text, images, links and text of files", i)})
		}
	}
	body := map[string]any{"text": strings.Join(texts, "\n\n")}
	if len(files) > 0 {
		body["attachments"] = files
	}
	return body, nil
}
