package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"nanoclaw/internal/runs"
)

// Run is one agent at work, with the sub-agents below it.
type Run = runs.RunView

type runOutput struct{ Body *Run }

// StartSettings are what a turn may have of its own.
type StartSettings struct {
	Model        string  `json:"model,omitempty" doc:"One of GET /models, for this turn."`
	ToolsEnabled *bool   `json:"tools_enabled,omitempty"`
	Thinking     *string `json:"thinking,omitempty" enum:",on,off,low,medium,high"`
	ProjectID    string  `json:"project_id,omitempty" doc:"Work in this project, in this turn."`
	OnBusy       string  `json:"on_busy,omitempty" enum:",reject,queue" doc:"While a run is active: reject (409 with its run_id; the default) or queue (this one waits for its end)."`
}

type startRunInput struct {
	PathID
	Accept string `header:"Accept" hidden:"true"`
	Body   struct {
		StartSettings
		Text            string           `json:"text" doc:"Reaches the model word for word."`
		Attachments     []NewAttachment  `json:"attachments,omitempty" maxItems:"20"`
		ParentMessageID Optional[string] `json:"parent_message_id,omitempty" doc:"Left out: the end of the active branch. null: a new root. A message: a branch below it."`
	}
}

type regenerateInput struct {
	MessageID string `path:"mid"`
	Accept    string `header:"Accept" hidden:"true"`
	Body      *StartSettings
}

type startedOutput struct {
	Location string `header:"Location"`
	Body     func(huma.Context)
}

func (s *server) registerRuns() {
	const tag = "Runs"
	accepted := func(o *huma.Operation) {
		answers("202", "Accepted: it is stored and will be worked on.", "application/json", schemaOf[Run](s),
			"Location")(o)
		o.DefaultStatus = http.StatusAccepted
		o.Description += " With Accept: text/event-stream the answer is 200 and the events of the run to its end, as " +
			"of GET /runs/{id}/events."
	}
	commands := describe(
		"The messages `/approve [number|id|all] [once|conversation|always] [call|prefix|rule|tool]` and " +
			"`/deny [number|id|all] [reason]` are not messages " +
			"to the model: they decide on calls that wait, and are answered with 200 and what was " +
			"decided, whatever the " +
			"Accept header. " +
			"409 no_pending_approval: nothing waits. 409 which_approval: several calls wait, and which is " +
			"meant is not said. " +
			"403 not_a_person: see POST /approvals/{id}; the header X-Decision-Token is taken here too.")
	handle(s, op("POST", "/conversations/{id}/runs", "start-run", tag, "Send a message and start a run that answers it",
		commands, accepted,
		answers("200", "The message was a command: what it decided.", "application/json", schemaOf[obeyed](s))),
		s.startRun)
	handle(s, op("POST", "/messages/{mid}/regenerate", "regenerate", tag, "Answer a user's message again",
		describe("mid is the user's message, or the answer that is to be made anew. The new answer stands "+
			"beside the old one."), accepted), s.regenerate)
	handle(s, op("GET", "/runs/{id}", "get-run", tag, "A run with the tree of its sub-agents"), s.getRun)
	handle(s, op("POST", "/runs/{id}/cancel", "cancel-run", tag, "Stop a root run with all below it, or one sub-agent",
		describe("A run that has ended is answered as it is.")), s.cancelRun)
	handle(s, op("POST", "/runs/{id}/messages", "steer-run", tag, "Send a message into a root run at work",
		describe("Its model gets it with its next request; a run that was about to end goes on. Only who the run "+
			"acts for can. It stands in the answer, as a step of type user. 409: the run has ended, or waits for its turn."),
		status(http.StatusAccepted)), s.steerRun)
	handle(s, op("POST", "/runs/{id}/continue", "continue-run", tag,
		"Go on with a root run that failed or was interrupted",
		describe("It continues behind its last checkpoint: what was done is not done again. Its message is "+
			"replaced when it ends."), accepted), s.continueRun)
}

func (s *server) startRun(ctx context.Context, in *startRunInput) (*startedOutput, error) {
	if err := s.checkStreams(ctx, in.Accept); err != nil {
		return nil, err
	}
	user := currentUser(ctx)
	req := in.Body.request(user)
	req.UserName = currentName(ctx)
	req.ConversationID, req.Text = in.ID, in.Body.Text
	if parent := in.Body.ParentMessageID; parent.Set {
		req.Parent = &parent.Value // null is the empty text: a new root
		if !parent.Null && parent.Value == "" {
			return nil, invalidField("body.parent_message_id", "name a message, or send null for a new root")
		}
	}
	if err := s.checkModel(req.Model); err != nil {
		return nil, err
	}
	if _, err := s.Store.GetConversation(ctx, user, in.ID); err != nil {
		return nil, err
	}
	if command, is := runs.ParseCommand(in.Body.Text); is {
		return s.obey(ctx, in.ID, command)
	}
	attached, forget, err := s.attach(ctx, in.Body.Attachments)
	if err != nil {
		return nil, err
	}
	req.Attachments, req.Also = attached, keepRun(ctx)
	run, err := s.Runs.StartTurn(ctx, req)
	if err != nil {
		forget(ctx)
		return nil, err
	}
	return s.started(run, in.Accept), nil
}

func (in StartSettings) request(user string) runs.StartRequest {
	return runs.StartRequest{
		UserID: user, Model: in.Model, ToolsEnabled: in.ToolsEnabled, Thinking: in.Thinking, ProjectID: in.ProjectID,
		Queue: in.OnBusy == "queue",
	}
}

func (s *server) regenerate(ctx context.Context, in *regenerateInput) (*startedOutput, error) {
	if err := s.checkStreams(ctx, in.Accept); err != nil {
		return nil, err
	}
	var settings StartSettings
	if in.Body != nil {
		settings = *in.Body
	}
	if err := s.checkModel(settings.Model); err != nil {
		return nil, err
	}
	user := currentUser(ctx)
	req := settings.request(user)
	req.Also = keepRun(ctx)
	run, err := s.Runs.Regenerate(ctx, user, in.MessageID, req)
	if err != nil {
		return nil, err
	}
	return s.started(run, in.Accept), nil
}

// started answers 202 with the run, or with its events where the client asks for
// them. A client that leaves does not stop the run.
func (s *server) started(run *Run, accept string) *startedOutput {
	return &startedOutput{Location: runLocation(run.ID), Body: func(hc huma.Context) {
		c := humaecho.Unwrap(hc)
		var err error
		if wantsEvents(accept) {
			err = s.streamRun(c, run.ID, "")
		} else {
			err = c.JSON(http.StatusAccepted, run)
		}
		if err != nil {
			c.Error(err)
		}
	}}
}

func wantsEvents(accept string) bool {
	for media := range strings.SplitSeq(accept, ",") {
		media, _, _ = strings.Cut(media, ";")
		if strings.EqualFold(strings.TrimSpace(media), eventStream) {
			return true
		}
	}
	return false
}

func (s *server) getRun(ctx context.Context, in *PathID) (*runOutput, error) {
	run, err := s.Runs.Run(ctx, currentUser(ctx), in.ID)
	return &runOutput{run}, err
}

func (s *server) cancelRun(ctx context.Context, in *PathID) (*runOutput, error) {
	run, err := s.Runs.Cancel(ctx, currentUser(ctx), in.ID)
	return &runOutput{run}, err
}

type steerInput struct {
	PathID
	Body struct {
		Text string `json:"text" doc:"Reaches the model word for word."`
	}
}

type steerOutput struct{ Body runs.SteeringView }

func (s *server) steerRun(ctx context.Context, in *steerInput) (*steerOutput, error) {
	if _, is := runs.ParseCommand(in.Body.Text); is {
		return nil, invalidField("body.text", "a command is no message to the model: send it as a message of the "+
			"conversation")
	}
	message, err := s.Runs.Steer(ctx, currentUser(ctx), in.ID, in.Body.Text)
	return &steerOutput{message}, err
}

type continueInput struct {
	PathID
	Accept string `header:"Accept" hidden:"true"`
}

func (s *server) continueRun(ctx context.Context, in *continueInput) (*startedOutput, error) {
	if err := s.checkStreams(ctx, in.Accept); err != nil {
		return nil, err
	}
	run, err := s.Runs.Continue(ctx, currentUser(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return s.started(run, in.Accept), nil
}

// stopTimeout is how long a run that was cancelled may take to end before what
// it belongs to is deleted under it.
const stopTimeout = 2 * time.Second

// stopRuns cancels root runs and waits for their end, so that nothing writes for
// what is about to be deleted.
func (s *server) stopRuns(ctx context.Context, user string, ids []string) error {
	for _, id := range ids {
		if _, err := s.Runs.Cancel(ctx, user, id); err != nil {
			return err
		}
	}
	waiting, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	for _, id := range ids {
		if err := s.awaitEnd(waiting, user, id); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
	}
	return nil
}

func (s *server) awaitEnd(ctx context.Context, user, runID string) error {
	watch, err := s.Runs.WatchRun(ctx, user, runID, "")
	if err != nil {
		if errors.Is(err, runs.ErrOver) {
			return nil
		}
		return err
	}
	defer watch.Close()
	for {
		if _, err := watch.Next(ctx); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}
