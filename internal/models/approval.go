package models

// Statuses of approvals.
const (
	ApprovalPending  = "pending"
	ApprovalApproved = "approved"
	ApprovalDenied   = "denied"
	ApprovalExpired  = "expired"
	ApprovalCanceled = "cancelled" // its run ended first
)

// Scopes of approvals.
const (
	ScopeOnce         = "once"
	ScopeConversation = "conversation" // what it covers does not ask again in this conversation
	ScopeAlways       = "always"       // what it covers never asks this user again
)

// Approval is a person's decision on one tool call, or the wait for it. A call has
// at most one: asked again because what would run has changed, it has another, and
// the one before keeps its own id as CallID. The
// arguments here are for showing: redacted, but for EditedArguments, which are
// what a person typed and what runs.
type Approval struct {
	ID              string `gorm:"primaryKey;size:36"`
	CallID          string `gorm:"size:36;uniqueIndex"`
	RunID           string `gorm:"size:36;index"`
	RootRunID       string `gorm:"size:36;index"`
	ConversationID  string `gorm:"size:36;index"`
	ProjectID       string `gorm:"size:36"`
	UserID          string `gorm:"size:36;index:idx_approvals_pending,priority:1"`
	AgentPath       string
	Tool            string  `gorm:"size:200"`
	ArgumentsHash   string  `gorm:"size:64"` // of the tool and its canonical arguments
	Arguments       string  // as asked
	EditedArguments string  // as approved, where they were edited
	EditedHash      string  `gorm:"size:64"` // of the tool and the edited arguments
	Findings        RawJSON // []guard.Finding
	Coverages       RawJSON // []guard.Coverage: those that the decision can have
	Coverage        RawJSON // guard.Coverage of the decision; empty: the call with the same arguments
	// Live: a tool asks in the middle of its call, which goes on in the process that
	// runs it. CallID is then no call's but the question's own, and nothing waits any
	// more once that process has died.
	Live      bool
	Status    string `gorm:"size:20;index:idx_approvals_pending,priority:2"`
	Scope     string `gorm:"size:20"` // once | conversation | always
	Reason    string
	DecidedBy string `gorm:"size:36"`
	CreatedAt Time   `gorm:"autoCreateTime:false"`

	DecidedByName string `gorm:"size:200"` // the name of DecidedBy, in auth_mode multi

	DecidedAt Time
	ExpiresAt Time `gorm:"index"`
}

// ApprovalRule is a standing approval: calls of this tool that it covers do not ask this
// user again.
type ApprovalRule struct {
	ID             string  `gorm:"primaryKey;size:36"`
	UserID         string  `gorm:"size:36;index:idx_approval_rules_call,priority:1"` // whose calls
	ConversationID *string `gorm:"size:36"`                                          // nil: in all conversations
	Tool           string  `gorm:"size:200"`
	// ArgumentsHash and Arguments, redacted for showing, are those of the call that is
	// covered; empty where Coverage is more than that.
	ArgumentsHash string `gorm:"size:64;index:idx_approval_rules_call,priority:2"`
	Arguments     string
	Coverage      RawJSON // guard.Coverage; empty: the call with the same arguments
	ApprovalID    string  `gorm:"size:36"` // where it comes from
	CreatedBy     string  `gorm:"size:36"`
	CreatedAt     Time    `gorm:"autoCreateTime:false"`
	RevokedAt     Time    // 0: it is in force
	RevokedBy     string  `gorm:"size:36"`
}
