package a2a

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
)

// sendParams is SendMessageRequest.
type sendParams struct {
	Message struct {
		MessageID string `json:"messageId"`
		ContextID string `json:"contextId"`
		TaskID    string `json:"taskId"`
		Role      string `json:"role"`
		Parts     []part `json:"parts"`
	} `json:"message"`
	Configuration struct {
		HistoryLength     *int `json:"historyLength"`
		ReturnImmediately bool `json:"returnImmediately"`
	} `json:"configuration"`
	// Metadata may say which agent, model and project are meant.
	Metadata struct {
		Agent     string `json:"agent"`
		Model     string `json:"model"`
		ProjectID string `json:"project_id"`
	} `json:"metadata"`
}

// part has one of Text, Raw, URL and Data.
type part struct {
	Text      *string         `json:"text"`
	Raw       *string         `json:"raw"` // base64
	URL       string          `json:"url"`
	Data      json.RawMessage `json:"data"`
	Filename  string          `json:"filename"`
	MediaType string          `json:"mediaType"`
}

// begin starts the task of a message, or lets the one go on that it names; cursor is
// where what follows begins.
func (h *handler) begin(ctx context.Context, c *call, params *sendParams) (run *runs.RunView, cursor string,
	err error) {
	if params.Message.Role != "ROLE_USER" || len(params.Message.Parts) == 0 {
		return nil, "", fail(invalidParams, "the message needs the role ROLE_USER and parts")
	}
	if params.Message.MessageID == "" {
		return nil, "", fail(invalidParams, "the message needs a messageId of the client's making")
	}
	if err := checkHistory(params.Configuration.HistoryLength); err != nil {
		return nil, "", err
	}
	if params.Message.TaskID != "" {
		cursor = h.Runs.EventsCursor()
		run, err = h.goOn(ctx, params)
		return run, cursor, err
	}
	made, err := turnMessage(params.Message.Parts)
	if err != nil {
		return nil, "", err
	}
	agent := c.agent
	if agent == "" {
		agent = params.Metadata.Agent
	}
	if agent == runs.DefaultAgent {
		agent = ""
	}
	if _, known := h.Runs.Profile(agent); !known {
		return nil, "", fail(invalidParams, "there is no agent %q: the agent card lists them", agent)
	}
	request := turn.Request{UserID: h.User(ctx), Agent: agent, Messages: []turn.Message{made}, Start: runs.StartRequest{
		Model: params.Metadata.Model, ProjectID: params.Metadata.ProjectID}}
	if params.Message.ContextID == "" {
		run, err = turn.Open(ctx, h.Store, h.Runs, request)
		return run, "", err
	}
	conv, err := h.Store.GetConversation(ctx, request.UserID, params.Message.ContextID)
	if store.IsCode(err, store.CodeNotFound) {
		return nil, "", fail(invalidParams, "there is no context %q: leave contextId out to begin one",
			params.Message.ContextID)
	}
	if err == nil {
		run, err = turn.Begin(ctx, h.Store, h.Runs, request, conv.ID, request.Messages)
	}
	return run, "", err
}

// goOn carries out the decisions that a message to a waiting task has. One to a task at work
// goes to its model.
func (h *handler) goOn(ctx context.Context, params *sendParams) (*runs.RunView, error) {
	run, err := h.task(ctx, params.Message.TaskID)
	if err != nil {
		return nil, err
	}
	if id := params.Message.ContextID; id != "" && id != run.ConversationID {
		return nil, fail(invalidParams, "the task is of another context")
	}
	if models.RunEnded(run.Status) {
		return nil, fail(unsupportedOperation, "the task has ended: send the message without taskId, with its contextId")
	}
	waiting, err := h.Store.PendingApprovals(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	if len(waiting) == 0 {
		return run, h.steer(ctx, run.ID, params.Message.Parts)
	}
	answer, err := readAnswer(params.Message.Parts)
	if err != nil {
		return nil, err
	}
	if err := h.Person(ctx); err != nil {
		return nil, err
	}
	if err := h.decide(ctx, waiting, answer); err != nil {
		return nil, err
	}
	return h.task(ctx, run.ID)
}

func (h *handler) steer(ctx context.Context, runID string, parts []part) error {
	made, err := turnMessage(parts)
	if err != nil {
		return err
	}
	if len(made.Files) > 0 {
		return fail(unsupportedOperation, "a task at work takes text alone: send files when it has ended")
	}
	_, err = h.Runs.Steer(ctx, h.User(ctx), runID, made.Text)
	return err
}

// answer is a decision on the approvals that a task waits for.
type answer struct {
	Approved *bool  `json:"approved"`
	Reason   string `json:"reason"`
	Approval string `json:"approval_id"` // empty: all that wait
}

func readAnswer(parts []part) (found answer, err error) {
	for _, one := range parts {
		if len(one.Data) > 0 && json.Unmarshal(one.Data, &found) != nil {
			return found, fail(invalidParams, "%s", wantedAnswer)
		}
	}
	if found.Approved == nil {
		return found, fail(invalidParams, "%s", wantedAnswer)
	}
	return found, nil
}

func (h *handler) decide(ctx context.Context, waiting []*models.Approval, given answer) error {
	decided := 0
	for _, approval := range waiting {
		if given.Approval != "" && given.Approval != approval.ID {
			continue
		}
		_, err := h.Runs.Decide(ctx, runs.DecideRequest{ApprovalID: approval.ID, UserID: h.User(ctx),
			Approve: *given.Approved, Reason: given.Reason})
		var late *store.DecidedError // one decision can cover others
		if err != nil && !errors.As(err, &late) {
			return err
		}
		decided++
	}
	if decided == 0 {
		return fail(invalidParams, "the approval %q does not wait in this task", given.Approval)
	}
	return nil
}

const wantedAnswer = `the task waits for an approval: send a data part {"approved": true or false, "reason": "…"}`

// turnMessage translates the parts of a message.
func turnMessage(parts []part) (turn.Message, error) {
	made := turn.Message{Role: turn.User}
	var texts []string
	for i, one := range parts {
		switch {
		case one.Text != nil:
			texts = append(texts, *one.Text)
		case one.Raw != nil:
			data, err := base64.StdEncoding.DecodeString(*one.Raw)
			if err != nil {
				return made, fail(invalidParams, "parts[%d].raw is not valid base64", i)
			}
			made.Files = append(made.Files, file(one, one.MediaType, data))
		case one.URL != "":
			contentType, data, err := wire.ReadDataURL(one.URL)
			if err != nil {
				return made, fail(invalidParams, "parts[%d].url: %v", i, err)
			}
			made.Files = append(made.Files, file(one, contentType, data))
		case len(one.Data) > 0:
			texts = append(texts, string(one.Data))
		default:
			return made, fail(invalidParams, "parts[%d] has none of text, raw, url and data", i)
		}
	}
	made.Text = strings.Join(texts, "\n")
	return made, nil
}

func file(of part, contentType string, data []byte) turn.File {
	made := turn.File{Name: of.Filename, ContentType: contentType, Data: data}
	if made.ContentType == "" {
		made.ContentType = "application/octet-stream"
	}
	if _, kind, _ := strings.Cut(made.ContentType, "/"); made.Name == "" {
		made.Name = "file." + kind
	}
	return made
}
