package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
)

const (
	// usualWait is below the minute after which clients give a call up.
	usualWait = 50 * time.Second
	maxWait   = 10 * time.Minute
)

type askInput struct {
	Message        string `json:"message" jsonschema:"what the agent is to do or to answer"`
	Agent          string `json:"agent,omitempty" jsonschema:"one of list_agents; empty: the default one"`
	Model          string `json:"model,omitempty" jsonschema:"a model's id; empty: the agent's"`
	ConversationID string `json:"conversation_id,omitempty" jsonschema:"go on in this conversation"`
	ProjectID      string `json:"project_id,omitempty" jsonschema:"work on the files of this project"`
	WaitSeconds    int    `json:"wait_seconds,omitempty" jsonschema:"how long to wait for the answer; 0: 50 seconds; at most 600"`
}

type runInput struct {
	RunID       string `json:"run_id"`
	WaitSeconds int    `json:"wait_seconds,omitempty" jsonschema:"how long to wait for the end; 0: not at all; at most 600"`
}

// runResult is a run as it is.
type runResult struct {
	RunID          string   `json:"run_id"`
	ConversationID string   `json:"conversation_id"`
	Status         string   `json:"status" jsonschema:"queued, running, waiting_approval, completed, failed, cancelled or interrupted"`
	Answer         string   `json:"answer" jsonschema:"what the agent has said so far"`
	Error          string   `json:"error,omitempty"`
	WaitsFor       []string `json:"waits_for,omitempty" jsonschema:"calls that a person has to approve in the web app before the run goes on"`
	TotalTokens    int      `json:"total_tokens"`
}

func (t *tools) askAgent(ctx context.Context, req *mcp.CallToolRequest, in askInput) (*mcp.CallToolResult, runResult,
	error) {
	start := runs.StartRequest{UserID: t.user, ConversationID: in.ConversationID, Text: in.Message, Model: in.Model,
		ProjectID: in.ProjectID}
	if in.ConversationID == "" {
		agent := in.Agent
		if agent == runs.DefaultAgent {
			agent = ""
		}
		conv := &models.Conversation{UserID: t.user, Agent: agent, ProjectID: in.ProjectID, ToolsEnabled: true}
		if _, known := t.Runs.Profile(agent); !known {
			return nil, runResult{}, fmt.Errorf("there is no agent %q: list_agents lists them", in.Agent)
		}
		if strings.TrimSpace(in.Message) == "" {
			return nil, runResult{}, errors.New("the message is empty")
		}
		if err := t.Store.CreateConversation(ctx, conv); err != nil {
			return nil, runResult{}, err
		}
		start.ConversationID = conv.ID
	}
	run, err := t.Runs.StartTurn(ctx, start)
	if err != nil {
		return nil, runResult{}, err
	}
	wait := usualWait
	if in.WaitSeconds > 0 {
		wait = time.Duration(in.WaitSeconds) * time.Second
	}
	result, err := t.follow(ctx, req, run.ID, wait)
	return nil, result, err
}

func (t *tools) getRun(ctx context.Context, req *mcp.CallToolRequest, in runInput) (*mcp.CallToolResult, runResult,
	error) {
	if _, err := t.Runs.Run(ctx, t.user, in.RunID); err != nil {
		return nil, runResult{}, err
	}
	result, err := t.follow(ctx, req, in.RunID, time.Duration(in.WaitSeconds)*time.Second)
	return nil, result, err
}

func (t *tools) cancelRun(ctx context.Context, _ *mcp.CallToolRequest, in runInput) (*mcp.CallToolResult, runResult,
	error) {
	if _, err := t.Runs.Cancel(ctx, t.user, in.RunID); err != nil {
		return nil, runResult{}, err
	}
	result, err := t.follow(ctx, nil, in.RunID, 5*time.Second)
	return nil, result, err
}

// follow waits for the end of a run, or for a call that needs an approval, and tells the
// client what the run does. What leaves the client does not stop the run.
func (t *tools) follow(ctx context.Context, req *mcp.CallToolRequest, runID string, wait time.Duration) (runResult,
	error) {
	waiting, cancel := context.WithTimeout(ctx, min(max(wait, 0), maxWait))
	defer cancel()
	if wait > 0 {
		err := t.await(waiting, progressOf(ctx, req), runID)
		if err != nil && waiting.Err() == nil {
			return runResult{}, err
		}
	}
	return t.result(ctx, runID)
}

func (t *tools) await(ctx context.Context, tell func(string), runID string) error {
	watch, err := t.Runs.WatchRun(ctx, t.user, runID, "")
	if errors.Is(err, runs.ErrOver) {
		return nil
	}
	if err != nil {
		return err
	}
	defer watch.Close()
	for stream := turn.Follow(watch); ; {
		event, err := stream.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		switch event.Type {
		case runs.EventCallStarted:
			tell(event.AgentPath + " calls " + event.Call.Function.Name)
		case runs.EventAgentFinished:
			tell(event.AgentPath + " has finished")
		case runs.EventApprovalAsked:
			if waiting, err := t.Store.PendingApprovals(ctx, runID); err != nil || len(waiting) > 0 {
				return err
			}
		}
	}
}

// progressOf tells the client of a call how far it is, where it wants to know.
func progressOf(ctx context.Context, req *mcp.CallToolRequest) func(string) {
	if req == nil || req.Params.GetProgressToken() == nil {
		return func(string) {}
	}
	done := 0.0
	return func(message string) {
		done++
		// A client that has left is nobody's error.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: req.Params.GetProgressToken(), Message: message, Progress: done})
	}
}

func (t *tools) result(ctx context.Context, runID string) (runResult, error) {
	run, err := t.Runs.Run(ctx, t.user, runID)
	if err != nil {
		return runResult{}, err
	}
	result := runResult{RunID: run.ID, ConversationID: run.ConversationID, Status: run.Status,
		TotalTokens: run.Usage.TotalTokens}
	if run.Error != nil {
		result.Error = run.Error.Code + ": " + run.Error.Message
	}
	steps, _, err := t.Store.Steps(ctx, run.ID)
	if err != nil {
		return result, err
	}
	var texts []string
	for _, step := range steps {
		if step.Text != "" {
			texts = append(texts, step.Text)
		}
	}
	result.Answer = strings.Join(texts, "\n\n")
	waiting, err := t.Store.PendingApprovals(ctx, run.ID)
	if len(waiting) > 0 && run.Status == models.RunRunning {
		result.Status = models.RunWaitingApproval // as far as the client can do something about it
	}
	for _, approval := range waiting {
		result.WaitsFor = append(result.WaitsFor, approval.Tool+" "+approval.Arguments)
	}
	return result, err
}
