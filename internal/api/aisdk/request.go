package aisdk

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// request is what useChat sends; the fields behind MessageID come from its body option.
type request struct {
	ID        string    `json:"id"`
	Messages  []message `json:"messages"`
	Trigger   string    `json:"trigger"`
	MessageID string    `json:"messageId"`

	Agent     string              `json:"agent"`
	Model     string              `json:"model"`
	ProjectID string              `json:"project_id"`
	Tools     []models.ClientTool `json:"tools"`
}

// message is a UI message.
type message struct {
	ID       string          `json:"id"`
	Role     string          `json:"role"`
	Parts    []part          `json:"parts"`
	Metadata json.RawMessage `json:"metadata"`
}

// part is one part of a UI message; a part of a tool has the fields from ToolCallID.
type part struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	MediaType string `json:"mediaType"`
	URL       string `json:"url"`
	Filename  string `json:"filename"`

	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	State      string          `json:"state"`
	Input      json.RawMessage `json:"input"`
	Output     json.RawMessage `json:"output"`
	ErrorText  string          `json:"errorText"`
	Approval   *struct {
		ID       string `json:"id"`
		Approved *bool  `json:"approved"`
		Reason   string `json:"reason"`
	} `json:"approval"`
}

// metadata is what a message of this server carries.
type metadata struct {
	ConversationID string `json:"conversationId"`
	RunID          string `json:"runId"`
	// Cursor is where the answer goes on once what it waits for is decided.
	Cursor string `json:"cursor,omitempty"`
}

// answer is a run and where its answer begins.
type answer struct {
	run         *runs.RunView
	cursor      string          // empty: the run's first event
	shown       map[string]bool // calls that the client's message has already
	clientTools map[string]bool
}

// begin starts the run that is asked for, or lets the one go on that waits for what the
// last message has.
func (h *handler) begin(ctx context.Context, req *request) (*answer, error) {
	if req.ID == "" || len(req.Messages) == 0 {
		return nil, wire.Wrong("invalid_value", "the body needs id and messages, as useChat sends them")
	}
	user := h.User(ctx)
	conv, newID, err := turn.Find(ctx, h.Store, user, protocol, req.ID)
	if err != nil {
		return nil, err
	}
	last := req.Messages[len(req.Messages)-1]
	if last.Role == turn.Assistant && req.Trigger != "regenerate-message" {
		if conv == nil {
			return nil, wire.Wrong("unexpected_tool_result", "the chat is not known here: nothing of it waits")
		}
		return h.goOn(ctx, conv, last)
	}
	start := runs.StartRequest{UserID: user, Model: req.Model, ProjectID: req.ProjectID, ClientTools: req.Tools}
	if err := runs.CheckClientTools(req.Tools); err != nil {
		return nil, err
	}
	var run *runs.RunView
	switch {
	case conv != nil && req.Trigger == "regenerate-message":
		run, err = h.regenerate(ctx, conv, req.MessageID, start)
	case conv != nil:
		run, err = h.submit(ctx, conv, req, start)
	default:
		var messages []turn.Message
		if messages, err = turnMessages(req.Messages); err == nil {
			run, err = turn.Open(ctx, h.Store, h.Runs, turn.Request{UserID: user, Agent: req.Agent, Messages: messages,
				Start: start, NewID: newID})
		}
	}
	if err != nil {
		return nil, err
	}
	return h.answerOf(ctx, run, nil)
}

// submit starts a turn with the last message, behind the answer before it.
func (h *handler) submit(ctx context.Context, conv *models.Conversation, req *request,
	start runs.StartRequest) (*runs.RunView, error) {
	fresh, err := turnMessages(req.Messages[len(req.Messages)-1:])
	if err != nil {
		return nil, err
	}
	parent, found := "", false
	for i := len(req.Messages) - 2; i >= 0 && !found; i-- {
		if req.Messages[i].Role != turn.Assistant {
			continue
		}
		stored, err := h.Store.GetMessage(ctx, start.UserID, req.Messages[i].ID)
		if err != nil && !store.IsCode(err, store.CodeNotFound) {
			return nil, err
		}
		if found = err == nil && stored.ConversationID == conv.ID; found {
			parent = stored.ID
		}
	}
	if found || req.MessageID != "" && len(req.Messages) == 1 { // the first message was edited: a new root
		start.Parent = &parent
	}
	return turn.Begin(ctx, h.Store, h.Runs, turn.Request{UserID: start.UserID, Start: start}, conv.ID, fresh)
}

func (h *handler) regenerate(ctx context.Context, conv *models.Conversation, messageID string,
	start runs.StartRequest) (*runs.RunView, error) {
	if stored, err := h.Store.GetMessage(ctx, start.UserID, messageID); err != nil || stored.ConversationID != conv.ID {
		messageID = conv.ActiveLeafID
	}
	return h.Runs.Regenerate(ctx, start.UserID, messageID, start)
}

// goOn carries out the decisions and results that an assistant's message has, and lets
// its run go on.
func (h *handler) goOn(ctx context.Context, conv *models.Conversation, last message) (*answer, error) {
	user := h.User(ctx)
	var known metadata
	_ = json.Unmarshal(last.Metadata, &known) // absent, or the client's own
	found, err := h.activeIn(ctx, conv.ID)
	if err != nil {
		return nil, err
	}
	if found == nil {
		run, err := h.Runs.Run(ctx, user, known.RunID)
		if err != nil || run.ConversationID != conv.ID {
			return nil, wire.Wrong("unexpected_tool_result", "nothing in this chat waits for a result or a decision")
		}
		if found, err = h.answerOf(ctx, run, nil); err != nil {
			return nil, err
		}
		found.cursor = wire.FromSnapshot
	}
	if known.RunID == found.run.ID && known.Cursor != "" {
		found.cursor = known.Cursor
	}
	if err := h.answerCalls(ctx, found, last.Parts); err != nil {
		return nil, err
	}
	for _, one := range last.Parts {
		if one.ToolCallID != "" {
			found.shown[one.ToolCallID] = true
		}
		if err := h.decide(ctx, user, one); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// answerCalls stores the results of the client's tools.
func (h *handler) answerCalls(ctx context.Context, of *answer, parts []part) error {
	user := h.User(ctx)
	waiting, err := h.Runs.WaitingClientCalls(ctx, user, of.run.ID)
	if err != nil || len(waiting) == 0 {
		return err
	}
	open := map[string]bool{}
	for _, call := range waiting {
		open[call.ID] = true
	}
	var results []runs.ClientResult
	for _, one := range parts {
		if !open[one.ToolCallID] {
			continue
		}
		switch one.State {
		case "output-available":
			results = append(results, runs.ClientResult{CallID: one.ToolCallID, Output: plain(one.Output)})
		case "output-error":
			results = append(results, runs.ClientResult{CallID: one.ToolCallID, Output: "error: " + one.ErrorText})
		}
	}
	if len(results) == 0 {
		return nil
	}
	_, _, err = h.Runs.AnswerClientCalls(ctx, user, results)
	return err
}

// decide carries out the decision of a part, unless it was before.
func (h *handler) decide(ctx context.Context, user string, one part) error {
	if one.Approval == nil || one.Approval.Approved == nil || one.State != "approval-responded" {
		return nil
	}
	approval, err := h.Store.GetApproval(ctx, user, one.Approval.ID)
	if err != nil {
		return err
	}
	if approval.Status != models.ApprovalPending {
		return nil
	}
	if err := h.Person(ctx); err != nil {
		return err
	}
	_, err = h.Runs.Decide(ctx, runs.DecideRequest{ApprovalID: approval.ID, UserID: user,
		Approve: *one.Approval.Approved, Reason: one.Approval.Reason})
	return err
}

// activeIn is the answer under way in a conversation; nil: none is.
func (h *handler) activeIn(ctx context.Context, conversationID string) (*answer, error) {
	active, err := h.Store.ActiveRuns(ctx, conversationID)
	if err != nil || len(active) == 0 {
		return nil, err
	}
	found, err := h.answerOf(ctx, nil, active[0])
	if err == nil {
		found.cursor = wire.FromSnapshot
	}
	return found, err
}

// answerOf is the answer of a run from its beginning; stored may be left out.
func (h *handler) answerOf(ctx context.Context, run *runs.RunView, stored *models.Run) (*answer, error) {
	var err error
	if stored == nil {
		if stored, err = h.Store.Run(ctx, h.User(ctx), run.ID); err != nil {
			return nil, err
		}
	}
	if run == nil {
		run = runs.ViewRun(stored)
	}
	made := &answer{run: run, shown: map[string]bool{}, clientTools: map[string]bool{}}
	for _, tool := range stored.Settings.ClientTools {
		made.clientTools[tool.Name] = true
	}
	return made, nil
}

// turnMessages translates messages that a new conversation begins with.
func turnMessages(list []message) ([]turn.Message, error) {
	var made []turn.Message
	for i, one := range list {
		at := fmt.Sprintf("messages[%d]", i)
		switch one.Role {
		case turn.System, turn.User, turn.Assistant:
		default:
			return nil, wire.Wrong("invalid_value", "%s: %q is not a role: use system, user or assistant", at, one.Role)
		}
		translated, results, err := one.turn(at)
		if err != nil {
			return nil, err
		}
		made = append(append(made, translated), results...)
	}
	return made, nil
}

func (m message) turn(at string) (made turn.Message, results []turn.Message, err error) {
	made.Role = m.Role
	var texts []string
	for i, one := range m.Parts {
		switch {
		case one.Type == "text":
			texts = append(texts, one.Text)
		case one.Type == "file" && m.Role == turn.User:
			contentType, data, err := wire.ReadDataURL(one.URL)
			if err != nil {
				return made, nil, wire.Wrong("invalid_value", "%s.parts[%d]: the file: %v", at, i, err)
			}
			name := one.Filename
			if name == "" {
				_, kind, _ := strings.Cut(contentType, "/")
				name = "file." + kind
			}
			made.Files = append(made.Files, turn.File{Name: name, ContentType: contentType, Data: data})
		case one.ToolCallID != "":
			name := one.ToolName
			if name == "" {
				name = strings.TrimPrefix(one.Type, "tool-")
			}
			made.Calls = append(made.Calls, tools.Invocation{ID: one.ToolCallID, Name: name,
				Arguments: string(one.Input)})
			results = append(results, turn.Message{Role: turn.Tool, CallID: one.ToolCallID,
				Text: plain(one.Output) + one.ErrorText})
		}
	}
	made.Text = strings.Join(texts, "\n")
	return made, results, nil
}

// plain is the text of a JSON text, and other JSON as it is.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
