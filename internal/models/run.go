package models

// Statuses of runs.
const (
	RunQueued          = "queued"
	RunRunning         = "running"
	RunWaitingApproval = "waiting_approval"
	RunCompleted       = "completed"
	RunFailed          = "failed"
	RunCancelled       = "cancelled"
	RunInterrupted     = "interrupted" // too many attempts without a new checkpoint; it can be continued
)

// RunEnded says whether a status is final.
func RunEnded(status string) bool {
	switch status {
	case RunCompleted, RunFailed, RunCancelled, RunInterrupted:
		return true
	}
	return false
}

// Run is one agent at work: the root run of a chat turn, or a sub-agent below it.
type Run struct {
	ID             string `gorm:"primaryKey;size:36"`
	ConversationID string `gorm:"size:36;index:idx_runs_conversation,priority:1"`
	UserID         string `gorm:"size:36"` // the conversation's owner
	ActorID        string `gorm:"size:36"` // who started it, and whose limits and permissions hold; empty: the owner
	ProjectID      string `gorm:"size:36"`
	RootRunID      string `gorm:"size:36;index"` // of a root run: its own id

	// Of a sub-agent: the run and the call that made it, and its place in that
	// call's tasks. ChildKey is "<parent call>/<index>", unique, so that a call
	// that is entered again finds its children; nil for a root run.
	ParentRunID  string `gorm:"size:36"`
	ParentCallID string `gorm:"size:36"`
	TaskIndex    int
	TaskName     string  `gorm:"size:200"`
	ChildKey     *string `gorm:"size:80;uniqueIndex"`

	Agent     string `gorm:"size:64"` // id of the agent profile
	AgentPath string // "main", "main/<task name>"
	Status    string `gorm:"size:20;index"`

	// ActiveKey is the conversation's id while a root run is active, else nil:
	// its unique index allows one active root run a conversation.
	ActiveKey *string `gorm:"size:36;uniqueIndex"`
	// Deferred: it waits until the conversation's active run ends (on_busy: queue).
	Deferred bool

	UserMessageID      string      `gorm:"size:36"` // the message that it answers
	AssistantMessageID string      `gorm:"size:36"` // the id that its answer has or will have
	ParentMessageID    string      `gorm:"size:36"` // where the message of a deferred run is to come; empty: the end, or a new root
	Input              RunInput    `gorm:"serializer:json"`
	Settings           RunSettings `gorm:"serializer:json"`
	// Steering is what the person sent while the run was at work, in order.
	Steering []Steering `gorm:"serializer:json"`

	// Attempt counts the workers that took the root run. It fences the whole
	// tree: a write that carries an older one is refused.
	Attempt       int
	StaleAttempts int    // attempts since the last checkpoint
	EnqueueNo     int    // number of the last work message: its id is "<run>/<number>"
	ClaimedNo     int    // the EnqueueNo that the present worker took
	LeaseOwner    string `gorm:"size:64"`
	LeaseUntil    Time

	CancelRequestedAt Time
	Response          string // a sub-agent's answer
	Incomplete        bool   // the last iteration gave no final text
	ErrorCode         string `gorm:"size:64"`
	ErrorMessage      string

	PromptTokens     int
	CompletionTokens int
	TotalTokens      int
	Cost             float64
	Estimated        bool

	CreatedAt  Time `gorm:"autoCreateTime:false;index:idx_runs_conversation,priority:2"`
	StartedAt  Time
	FinishedAt Time
	// WorkedMicros is the time at work so far, without the time spent waiting
	// for approvals: what runs.timeout is compared with.
	WorkedMicros int64
}

// Actor is the user for whom the run acts.
func (r *Run) Actor() string {
	if r.ActorID != "" {
		return r.ActorID
	}
	return r.UserID
}

// RunInput is what the run is asked.
type RunInput struct {
	AuthorName  string       `json:"author_name,omitempty"` // of who asks, in auth_mode multi
	Text        string       `json:"text"`
	Attachments []Attachment `json:"attachments,omitempty"`
	// NewRoot: the message of a deferred run begins the conversation anew.
	NewRoot bool `json:"new_root,omitempty"`
	// Traceparent is the W3C header that the request came with: the run is part of that trace.
	Traceparent string `json:"traceparent,omitempty"`
}

// Steering is a message into a run at work.
type Steering struct {
	ID        string `json:"id"`
	Text      string `json:"text"`
	CreatedAt Time   `json:"created_at"`
	// Before is the number of the step whose request was the first to have it; -1: none has yet.
	Before int `json:"before"`
}

// RunSettings are frozen when the run starts.
type RunSettings struct {
	Model         string   `json:"model"`
	SystemPrompt  string   `json:"system_prompt,omitempty"`
	Temperature   *float64 `json:"temperature,omitempty"`
	MaxTokens     int      `json:"max_tokens,omitempty"`
	Thinking      string   `json:"thinking,omitempty"`
	ToolsEnabled  bool     `json:"tools_enabled"`
	Tools         []string `json:"tools,omitempty"` // names or globs; empty: all that the agent may use
	MaxIterations int      `json:"max_iterations,omitempty"`
	// ClientTools are those that the client brought along: calls of them wait for its result.
	ClientTools []ClientTool `json:"client_tools,omitempty"`
	// Session is set where another agent talks to this one (chat_with_agent): the
	// id of the first run of their session, which may be this one.
	Session string `json:"session,omitempty"`
	// Task is set of a background task's run: where it came from.
	Task *TaskOrigin `json:"task,omitempty"`
}

// TaskOrigin is the run that submitted a background task, with its conversation.
type TaskOrigin struct {
	RunID          string `json:"run_id"`
	ConversationID string `json:"conversation_id"`
}

// HomeConversation is the conversation whose files and approvals hold for a run: of a
// background task that of the run that submitted it.
func (r *Run) HomeConversation() string {
	if r.Settings.Task != nil {
		return r.Settings.Task.ConversationID
	}
	return r.ConversationID
}

// Step is one finished model turn of a run, or what there was of it when the run
// was stopped (Partial).
type Step struct {
	ID               string `gorm:"primaryKey;size:36"`
	RunID            string `gorm:"size:36;uniqueIndex:idx_steps_order,priority:1"`
	Number           int    `gorm:"uniqueIndex:idx_steps_order,priority:2"` // 0, 1, …
	RootRunID        string `gorm:"size:36;index"`
	Model            string `gorm:"size:200"`
	Reasoning        string
	ThinkingMS       int64 `gorm:"column:thinking_ms"` // how long that took; 0: nobody knows
	Text             string
	Opaque           RawJSON // what the provider needs to replay its turn
	FinishReason     string  `gorm:"size:32"`
	Partial          bool
	PromptTokens     int
	CompletionTokens int
	TotalTokens      int
	Cost             float64
	Estimated        bool
	CreatedAt        Time `gorm:"autoCreateTime:false"`
}

// States of tool calls.
const (
	CallPending   = "pending"
	CallSuspended = "suspended" // waits for an approval, or behind a call that does
	CallStarted   = "started"
	CallFinished  = "finished"
)

// ToolCall is one call of a step. The fields below Effect are those of tools.Record.
type ToolCall struct {
	ID            string `gorm:"primaryKey;size:36"`
	RunID         string `gorm:"size:36;index:idx_tool_calls_run,priority:1"`
	RootRunID     string `gorm:"size:36;index"`
	StepID        string `gorm:"size:36"`
	StepNumber    int    `gorm:"index:idx_tool_calls_run,priority:2"`
	CallIndex     int    `gorm:"index:idx_tool_calls_run,priority:3"`
	ProviderID    string // replayed to the provider only; may repeat
	State         string `gorm:"size:20"`
	Effect        string `gorm:"size:20"`
	Name          string `gorm:"size:200"`
	Arguments     string
	Result        string
	Success       bool
	Skipped       bool
	Cached        bool
	DuplicateOf   string  `gorm:"size:36"`
	ExecutionTime float64 // seconds
	AgentPath     string
	Images        RawJSON // of the result: what tools.Image says of each; empty: none
	Files         RawJSON // that the result hands to the person: what tools.SentFile says of each; empty: none
	StartedAt     Time
	FinishedAt    Time
}
