package agui

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

// input is RunAgentInput.
type input struct {
	ThreadID string              `json:"threadId"`
	RunID    string              `json:"runId"`
	State    json.RawMessage     `json:"state"`
	Messages []message           `json:"messages"`
	Tools    []models.ClientTool `json:"tools"`
	Context  []struct {
		Description string `json:"description"`
		Value       string `json:"value"`
	} `json:"context"`
	// ForwardedProps may say which model answers, and on which project's files it works.
	ForwardedProps struct {
		Model     string `json:"model"`
		ProjectID string `json:"project_id"`
	} `json:"forwardedProps"`
	Resume []resumption `json:"resume"`
}

// message keeps what was received, to be sent back as it was.
type message struct {
	received json.RawMessage

	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Error      string          `json:"error"`
	ToolCallID string          `json:"toolCallId"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"toolCalls"`
	SubagentRunID string `json:"subagentRunId"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *message) UnmarshalJSON(data []byte) error {
	type plain message
	m.received = append(json.RawMessage(nil), data...)
	return json.Unmarshal(data, (*plain)(m))
}

// MarshalJSON implements json.Marshaler.
func (m message) MarshalJSON() ([]byte, error) { return m.received, nil }

// resumption is the answer to an interrupt.
type resumption struct {
	InterruptID string          `json:"interruptId"`
	Status      string          `json:"status"`
	Payload     json.RawMessage `json:"payload"`
}

// own is what this server keeps in the thread's state, which clients send back.
type own struct {
	ConversationID string `json:"conversationId"`
	RunID          string `json:"runId"`
	Status         string `json:"status"`
	Cursor         string `json:"cursor,omitempty"` // where the run goes on for this client
}

// going is a run, and where its events begin for this request.
type going struct {
	run         *runs.RunView
	cursor      string // empty: the run's first event
	again       bool   // the client may have seen a part of the answer: it is shown anew
	clientTools map[string]bool
}

// begin starts the run that is asked for, or lets one go on.
func (h *handler) begin(ctx context.Context, agent string, in *input) (*going, error) {
	if in.ThreadID == "" || in.RunID == "" {
		return nil, wire.Wrong("invalid_value", "the body needs threadId and runId")
	}
	user := h.User(ctx)
	if agent == runs.DefaultAgent {
		agent = ""
	}
	if _, known := h.Runs.Profile(agent); !known {
		return nil, &wire.RequestError{Status: http.StatusNotFound, Code: "unknown_agent",
			Message: fmt.Sprintf("there is no agent %q", agent)}
	}
	if err := runs.CheckClientTools(in.Tools); err != nil {
		return nil, err
	}
	conv, newID, err := turn.Find(ctx, h.Store, user, protocol, in.ThreadID)
	if err != nil {
		return nil, err
	}
	messages, err := in.turnMessages()
	if err != nil {
		return nil, err
	}
	_, _, fresh := turn.Split(messages)
	results, answers := turn.Results(fresh)
	if conv != nil && (answers || len(in.Resume) > 0 || len(fresh) == 0) {
		return h.goOn(ctx, conv, in, results)
	}
	if answers || len(in.Resume) > 0 {
		return nil, wire.Wrong("unexpected_tool_result", "the thread is not known here: nothing of it waits")
	}
	if len(fresh) == 0 {
		return nil, wire.Wrong("invalid_value", "the last message must be the user's, or the result of a tool call")
	}
	return h.start(ctx, conv, turn.Request{UserID: user, Agent: agent, Messages: messages, NewID: newID,
		Start: runs.StartRequest{Model: in.ForwardedProps.Model, ProjectID: in.ForwardedProps.ProjectID,
			ClientTools: in.Tools}}, fresh)
}

// start begins a run with the new messages, in the conversation or in a new one.
func (h *handler) start(ctx context.Context, conv *models.Conversation, asked turn.Request,
	fresh []turn.Message) (*going, error) {
	var run *runs.RunView
	var err error
	if conv != nil {
		run, err = turn.Begin(ctx, h.Store, h.Runs, asked, conv.ID, fresh)
	} else {
		run, err = turn.Open(ctx, h.Store, h.Runs, asked)
	}
	if err != nil {
		return nil, err
	}
	return h.goingOf(ctx, run.ID, "")
}

// goOn carries out the decisions and results of a request, and lets the thread's run go
// on; without any the request joins the run under way.
func (h *handler) goOn(ctx context.Context, conv *models.Conversation, in *input,
	results []runs.ClientResult) (*going, error) {
	var state struct {
		NanoClaw own `json:"nanoclaw"`
	}
	_ = json.Unmarshal(in.State, &state) // the client's own
	active, err := h.Store.ActiveRuns(ctx, conv.ID)
	if err != nil {
		return nil, err
	}
	last := state.NanoClaw.RunID
	if len(active) > 0 {
		last = active[0].ID
	}
	found, err := h.goingOf(ctx, last, "")
	if err != nil || found.run.ConversationID != conv.ID {
		return nil, wire.Wrong("unexpected_tool_result", "no run of this thread is under way: send a user's message")
	}
	if found.cursor = state.NanoClaw.Cursor; found.cursor == "" || state.NanoClaw.RunID != found.run.ID {
		found.cursor, found.again = wire.FromSnapshot, true
	}
	if err := h.decide(ctx, found.run.ID, in.Resume); err != nil {
		return nil, err
	}
	return found, h.answerCalls(ctx, found.run.ID, results)
}

// answerCalls stores the results of calls that wait. Among those that a client sends are
// the results of this server's tools, too; and what was answered before is not an error.
func (h *handler) answerCalls(ctx context.Context, runID string, results []runs.ClientResult) error {
	user := h.User(ctx)
	if len(results) == 0 {
		return nil
	}
	waiting, err := h.Runs.WaitingClientCalls(ctx, user, runID)
	if err != nil {
		return err
	}
	open := map[string]bool{}
	for _, call := range waiting {
		open[call.ID] = true
	}
	var wanted []runs.ClientResult
	for _, result := range results {
		if open[result.CallID] {
			wanted = append(wanted, result)
		}
	}
	if len(wanted) == 0 {
		last := results[len(results)-1].CallID
		_, made, err := h.Store.Steps(ctx, runID)
		if err != nil || slices.ContainsFunc(made, func(call *models.ToolCall) bool { return call.ID == last }) {
			return err
		}
		return wire.Wrong("unexpected_tool_result", "no tool call of this thread waits for the result of %q", last)
	}
	_, _, err = h.Runs.AnswerClientCalls(ctx, user, wanted)
	return err
}

// decide carries out the answers to interrupts.
func (h *handler) decide(ctx context.Context, runID string, list []resumption) error {
	user := h.User(ctx)
	for _, one := range list {
		approval, err := h.Store.GetApproval(ctx, user, one.InterruptID)
		if err != nil {
			return err
		}
		if approval.RootRunID != runID {
			return wire.Wrong("unknown_interrupt", "the interrupt %s is not of this thread's run", one.InterruptID)
		}
		if approval.Status != models.ApprovalPending {
			continue
		}
		if err := h.Person(ctx); err != nil {
			return err
		}
		var payload struct {
			Approved  bool           `json:"approved"`
			Reason    string         `json:"reason"`
			Arguments map[string]any `json:"arguments"`
		}
		if one.Status == "resolved" && json.Unmarshal(one.Payload, &payload) != nil {
			return wire.Wrong("invalid_value", `the payload of interrupt %s must be {"approved": true or false}`,
				one.InterruptID)
		}
		decision := runs.DecideRequest{ApprovalID: approval.ID, UserID: user, Reason: payload.Reason,
			Approve: one.Status == "resolved" && payload.Approved}
		if decision.Approve {
			decision.Arguments = payload.Arguments
		}
		if _, err := h.Runs.Decide(ctx, decision); err != nil {
			return err
		}
	}
	return nil
}

func (h *handler) goingOf(ctx context.Context, runID, cursor string) (*going, error) {
	stored, err := h.Store.Run(ctx, h.User(ctx), runID)
	if err != nil {
		return nil, err
	}
	made := &going{run: runs.ViewRun(stored), cursor: cursor, clientTools: map[string]bool{}}
	for _, tool := range stored.Settings.ClientTools {
		made.clientTools[tool.Name] = true
	}
	return made, nil
}

// turnMessages translates the messages of the thread; those of sub-agents, reasoning and
// activities are this server's own.
func (in *input) turnMessages() ([]turn.Message, error) {
	var list []turn.Message
	for i, one := range in.Messages {
		made := turn.Message{Role: one.Role, CallID: one.ToolCallID}
		switch one.Role {
		case "developer":
			made.Role = turn.System
		case turn.System, turn.User, turn.Assistant, turn.Tool:
		case "reasoning", "activity":
			continue
		default:
			return nil, wire.Wrong("invalid_value", "messages[%d]: %q is not a role of the protocol", i, one.Role)
		}
		if one.SubagentRunID != "" {
			continue
		}
		if err := readContent(one.Content, fmt.Sprintf("messages[%d].content", i), &made); err != nil {
			return nil, err
		}
		if one.Role == turn.Tool && one.Error != "" {
			made.Text = "error: " + one.Error
		}
		for _, call := range one.ToolCalls {
			made.Calls = append(made.Calls, tools.Invocation{ID: call.ID, Name: call.Function.Name,
				Arguments: call.Function.Arguments})
		}
		list = append(list, made)
	}
	if n := len(list); n > 0 && list[n-1].Role == turn.User {
		for _, one := range in.Context {
			list[n-1].Text += "\n\n" + one.Description + ": " + one.Value
		}
	}
	return list, nil
}

// readContent reads a text, or a list of parts, into a message.
func readContent(raw json.RawMessage, at string, into *turn.Message) error {
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &into.Text) == nil {
		return nil
	}
	var parts []struct {
		Type   string `json:"type"`
		Text   string `json:"text"`
		Source struct {
			Type     string `json:"type"`
			Value    string `json:"value"`
			MimeType string `json:"mimeType"`
		} `json:"source"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return wire.Wrong("invalid_value", "%s is neither a text nor a list of parts", at)
	}
	var texts []string
	for i, one := range parts {
		if one.Type == "text" {
			texts = append(texts, one.Text)
			continue
		}
		address := one.Source.Value
		if one.Source.Type == "data" {
			address = "data:" + one.Source.MimeType + ";base64," + one.Source.Value
		}
		contentType, data, err := wire.ReadDataURL(address)
		if err != nil {
			return wire.Wrong("invalid_value", "%s[%d]: %v", at, i, err)
		}
		_, kind, _ := strings.Cut(contentType, "/")
		into.Files = append(into.Files, turn.File{Name: one.Type + "." + kind, ContentType: contentType, Data: data})
	}
	into.Text = strings.Join(texts, "\n")
	return nil
}
