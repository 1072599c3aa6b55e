package models

// Conversation is a tree of messages with the settings of its runs.
type Conversation struct {
	ID           string   `gorm:"primaryKey;size:36;index:idx_conversations_list,priority:3;index:idx_conversations_project,priority:3"`
	UserID       string   `gorm:"size:36;index:idx_conversations_list,priority:1"`
	ProjectID    string   `gorm:"size:36;index:idx_conversations_project,priority:1"` // empty: none
	Title        string   `gorm:"size:500"`
	TitleGiven   bool     // a person gave it: never regenerated
	Agent        string   `gorm:"size:64"` // id of the agent profile; empty: the default one
	Model        string   `gorm:"size:200"`
	SystemPrompt string   // added to the agent's
	Temperature  *float64 // nil: the model's default
	MaxTokens    int      // 0: the model's default
	Thinking     string   `gorm:"size:10"` // "", on, off, low, medium, high
	ToolsEnabled bool
	// PermissionMode is what agents do without asking, within what guard.level allows; empty: all of that.
	PermissionMode string `gorm:"size:10"`
	Pinned         bool
	Archived       bool     // in no list unless it is asked for
	Unread         bool     // a run ended that nobody has looked at
	Tags           []string `gorm:"serializer:json"`
	Skills         Switches `gorm:"serializer:json"`
	Hidden         bool     // made by an interface for one request: in no list and no search
	// TaskOf is set where this is a background task's: the conversation that it was
	// submitted in. TaskAnnounced: the end of its run is a message there.
	TaskOf        string `gorm:"size:36"`
	TaskAnnounced bool
	ActiveLeafID  string `gorm:"size:36"` // the message at the end of the active branch; empty: no message
	Version       int64  // grows with every change: the ETag
	CreatedAt     Time   `gorm:"autoCreateTime:false"`
	UpdatedAt     Time   `gorm:"autoUpdateTime:false;index:idx_conversations_list,priority:2;index:idx_conversations_project,priority:2"`
}

// Roles of messages.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Message is one entry of a conversation. ParentID makes the tree; there is no
// foreign key on it, since a parent may be deleted. An assistant message is
// stored when its root run ends, whatever the end.
type Message struct {
	ID             string       `gorm:"primaryKey;size:36"`
	ConversationID string       `gorm:"size:36;index:idx_messages_conversation,priority:1"`
	ParentID       string       `gorm:"size:36"` // empty: a root
	RunID          string       `gorm:"size:36"` // the root run that it started or that wrote it
	Role           string       `gorm:"size:20"`
	AuthorID       string       `gorm:"size:36"`  // of a user's message: who wrote it, empty: the conversation's owner; of an answer: who changed it
	AuthorName     string       `gorm:"size:200"` // the author's name at that time
	Text           string       // of an assistant message: the text of all its steps, separated by blank lines
	Attachments    []Attachment `gorm:"serializer:json"`
	Steps          RawJSON      // []StepEntry: the order to show
	ToolCalls      RawJSON      // []tools.Record of the root run
	Usage          RawJSON
	Task           RawJSON // a TaskEnd, of a message that announces one
	Model          string  `gorm:"size:200"`
	CreatedAt      Time    `gorm:"autoCreateTime:false;index:idx_messages_conversation,priority:2"`
}

// TaskEnd is the end of a background task, as a message announces it.
type TaskEnd struct {
	RunID          string `json:"run_id"`
	ConversationID string `json:"conversation_id" doc:"The task's own."`
	Name           string `json:"name"`
	Status         string `json:"status" enum:"completed,failed,cancelled,interrupted"`
}

// Attachment is a file that came with a message; its bytes are an Upload.
type Attachment struct {
	UploadID    string `json:"upload_id"`
	Name        string `json:"name"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"`
}

// StepEntry is one line of what a message shows, in order. Type is thinking,
// text, tool_call, tool_result or user; IDRef of tool_call and tool_result is the tool
// call's id, of user, which is a message into the run at work, that message's.
// StepID is the model turn that it belongs to; a user's has none.
type StepEntry struct {
	Index  int    `json:"index"`
	Type   string `json:"type"`
	Text   string `json:"text,omitempty"`
	IDRef  string `json:"id_ref,omitempty"`
	StepID string `json:"step_id,omitempty"`

	DurationMS int64 `json:"duration_ms,omitempty" doc:"Of thinking: how long it took. Absent: not known."`
	Pending    bool  `json:"pending,omitempty" doc:"Of user: the model has not got it yet."`
}

// Upload is a file that was sent for use as an attachment.
type Upload struct {
	ID     string `gorm:"primaryKey;size:36"`
	UserID string `gorm:"size:36;index"`
	Name   string `gorm:"size:500"`

	ConversationID string `gorm:"size:36"` // where it was attached last: who may see that, may see it

	ContentType string `gorm:"size:200"`
	Size        int64  // -1 while its bytes arrive
	Data        []byte `gorm:"-"` // filled where a caller asks for the bytes
	CreatedAt   Time   `gorm:"autoCreateTime:false;index"`
}

// UploadPart is a piece of an upload's bytes; the first is at position 0.
type UploadPart struct {
	UploadID string `gorm:"primaryKey;size:36"`
	Position int64  `gorm:"primaryKey;autoIncrement:false"`
	Data     []byte
}
