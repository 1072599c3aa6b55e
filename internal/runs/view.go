package runs

import (
	"encoding/json"

	"nanoclaw/internal/models"
	"nanoclaw/internal/tools"
)

// Usage is what a run or a message cost, in tokens.
type Usage struct {
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	TotalTokens      int     `json:"total_tokens"`
	Cost             float64 `json:"cost,omitempty"`
	Estimated        bool    `json:"estimated,omitempty"`
	// ContextTokens is set in messages alone.
	ContextTokens int `json:"context_tokens,omitempty" doc:"Of an answer: tokens of its last model turn."`
}

// Failure is why a run did not complete.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// RunView is a run as clients see it, with its tree.
type RunView struct {
	ID                 string      `json:"id"`
	ConversationID     string      `json:"conversation_id"`
	ProjectID          *string     `json:"project_id"`
	RootRunID          string      `json:"root_run_id"`
	ParentRunID        *string     `json:"parent_run_id"`
	ParentCallID       *string     `json:"parent_call_id,omitempty"`
	TaskOf             *string     `json:"task_of,omitempty" doc:"Of a background task: the conversation that it was submitted in."`
	TaskName           string      `json:"task_name,omitempty" doc:"Of a sub-agent or a background task."`
	TaskIndex          int         `json:"task_index,omitempty"`
	Agent              string      `json:"agent"`
	AgentPath          string      `json:"agent_path"`
	Model              string      `json:"model"`
	Status             string      `json:"status" enum:"queued,running,waiting_approval,completed,failed,cancelled,interrupted"`
	Deferred           bool        `json:"deferred,omitempty" doc:"It waits until the conversation's active run ends."`
	Text               string      `json:"text,omitempty" doc:"What was asked; of a run that waits for its turn."`
	UserMessageID      string      `json:"user_message_id,omitempty"`
	AssistantMessageID string      `json:"assistant_message_id,omitempty"`
	Attempt            int         `json:"attempt"`
	Usage              Usage       `json:"usage"`
	Error              *Failure    `json:"error"`
	Incomplete         bool        `json:"incomplete,omitempty"`
	Response           string      `json:"response,omitempty" doc:"A sub-agent's answer."`
	ToolCalls          []ToolCall  `json:"tool_calls,omitempty" doc:"A sub-agent's own calls; a root run's stand in its message."`
	CancelRequested    bool        `json:"cancel_requested,omitempty"`
	CreatedAt          models.Time `json:"created_at"`
	StartedAt          models.Time `json:"started_at"`
	FinishedAt         models.Time `json:"finished_at"`
	Children           []*RunView  `json:"children"`
}

// ToolCall is the record of a call as every client sees it.
type ToolCall = tools.Record

// MessageView is a message as clients see it.
type MessageView struct {
	ID             string              `json:"id"`
	ConversationID string              `json:"conversation_id"`
	ParentID       *string             `json:"parent_id"`
	RunID          string              `json:"run_id,omitempty"`
	Role           string              `json:"role" enum:"user,assistant"`
	Author         *Author             `json:"author,omitempty" doc:"Who wrote a user's message or changed an answer, in auth_mode multi."`
	Edited         bool                `json:"edited,omitempty" doc:"Of an answer: a person changed it."`
	Text           string              `json:"text"`
	Attachments    []models.Attachment `json:"attachments"`
	Steps          []models.StepEntry  `json:"steps"`
	ToolCalls      []ToolCall          `json:"tool_calls"`
	Usage          *Usage              `json:"usage"`
	Task           *models.TaskEnd     `json:"task,omitempty" doc:"Of a message that announces the end of a background task."`
	Model          string              `json:"model,omitempty"`
	CreatedAt      models.Time         `json:"created_at"`
}

// Author is who wrote a message.
type Author struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// ViewRun shows a run without its tree.
func ViewRun(run *models.Run) *RunView {
	view := &RunView{
		ID: run.ID, ConversationID: run.ConversationID, ProjectID: optional(run.ProjectID), RootRunID: run.RootRunID,
		ParentRunID: optional(run.ParentRunID), ParentCallID: optional(run.ParentCallID),
		TaskName: run.TaskName, TaskIndex: run.TaskIndex,
		Agent: run.Agent, AgentPath: run.AgentPath, Model: run.Settings.Model, Status: run.Status,
		Deferred:      run.Deferred,
		UserMessageID: run.UserMessageID, AssistantMessageID: run.AssistantMessageID, Attempt: run.Attempt,
		Usage: Usage{PromptTokens: run.PromptTokens, CompletionTokens: run.CompletionTokens, TotalTokens: run.TotalTokens,
			Cost: run.Cost, Estimated: run.Estimated},
		Incomplete: run.Incomplete, Response: run.Response, CancelRequested: run.CancelRequestedAt != 0,
		CreatedAt: run.CreatedAt, StartedAt: run.StartedAt, FinishedAt: run.FinishedAt, Children: []*RunView{},
	}
	if view.Agent == "" {
		view.Agent = DefaultAgent
	}
	if run.Settings.Task != nil {
		view.TaskOf = optional(run.Settings.Task.ConversationID)
	}
	if run.Deferred || run.ParentRunID != "" {
		view.Text = run.Input.Text
	}
	if run.ErrorCode != "" {
		view.Error = &Failure{Code: run.ErrorCode, Message: run.ErrorMessage}
	}
	return view
}

// viewTree shows a root run with its sub-agents, each below its parent.
func viewTree(root *models.Run, children []*models.Run) *RunView {
	view := ViewRun(root)
	byID := map[string]*RunView{root.ID: view}
	for _, child := range children {
		byID[child.ID] = ViewRun(child)
	}
	for _, child := range children {
		if parent := byID[child.ParentRunID]; parent != nil {
			parent.Children = append(parent.Children, byID[child.ID])
		}
		view.Usage.add(byID[child.ID].Usage)
	}
	return view
}

func (u *Usage) add(o Usage) {
	u.PromptTokens += o.PromptTokens
	u.CompletionTokens += o.CompletionTokens
	u.TotalTokens += o.TotalTokens
	u.Cost += o.Cost
	u.Estimated = u.Estimated || o.Estimated
}

// ViewMessage shows a stored message.
func ViewMessage(m *models.Message) (*MessageView, error) {
	view := &MessageView{
		ID: m.ID, ConversationID: m.ConversationID, ParentID: optional(m.ParentID), RunID: m.RunID, Role: m.Role,
		Text:        m.Text,
		Attachments: m.Attachments, Steps: []models.StepEntry{}, ToolCalls: []ToolCall{}, Model: m.Model,
		CreatedAt: m.CreatedAt,
	}
	view.Edited = m.Role == models.RoleAssistant && m.AuthorID != ""
	if m.AuthorID != "" && m.AuthorName != "" {
		view.Author = &Author{m.AuthorID, m.AuthorName}
	}
	if view.Attachments == nil {
		view.Attachments = []models.Attachment{}
	}
	for _, column := range []struct {
		raw  models.RawJSON
		into any
	}{{m.Steps, &view.Steps}, {m.ToolCalls, &view.ToolCalls}, {m.Usage, &view.Usage}, {m.Task, &view.Task}} {
		if len(column.raw) == 0 {
			continue
		}
		if err := json.Unmarshal(column.raw, column.into); err != nil {
			return nil, &storedError{what: "message " + m.ID, err: err}
		}
	}
	return view, nil
}

type storedError struct {
	what string
	err  error
}

func (e *storedError) Error() string { return "read the stored " + e.what + ": " + e.err.Error() }
func (e *storedError) Unwrap() error { return e.err }
