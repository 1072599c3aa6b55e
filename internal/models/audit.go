package models

// Kinds of audit rows.
const (
	AuditCall     = "call"     // an agent's tool call, with its outcome
	AuditDecision = "decision" // what the guard or a person decided about one
	AuditRequest  = "request"  // a change that a person made over the API
)

// Audit is one row of who did what. Rows are only added, and removed from the
// oldest on by retention. Each has the hash of the one before it, so that a later
// change shows; store.AppendAudit says what the hash covers.
type Audit struct {
	ID             int64  `gorm:"primaryKey;autoIncrement:false"` // without gaps
	Time           Time   `gorm:"index"`                          // when it began
	Kind           string `gorm:"size:20"`
	UserID         string `gorm:"size:36"`
	ProjectID      string `gorm:"size:36;index"`
	ConversationID string `gorm:"size:36;index"`
	RunID          string `gorm:"size:36;index"`
	RootRunID      string `gorm:"size:36;index"`
	CallID         string `gorm:"size:36;index"`
	AgentPath      string
	Tool           string `gorm:"size:200"` // of a request: its operation id
	Arguments      string // JSON, redacted
	ResolvedPath   string // on the host, of a call that names a file
	Outcome        string `gorm:"size:32"` // success or the code of the failure
	Severity       string `gorm:"size:10"` // of the worst finding; empty: none
	Detail         string
	DurationMicros int64
	PreviousHash   string `gorm:"size:64"`
	Hash           string `gorm:"size:64"`
}

// TableName keeps the singular: there is one audit.
func (Audit) TableName() string { return "audit" }

// AuditChain is where the chain of audit rows begins and ends; there is one row,
// with the id 1. Begin is the last row that retention removed, so that the first
// one that is left can still be checked.
type AuditChain struct {
	ID        int64  `gorm:"primaryKey;autoIncrement:false"`
	LastID    int64  // 0: there never was a row
	LastHash  string `gorm:"size:64"`
	BeginID   int64
	BeginHash string `gorm:"size:64"`
	Removed   int64  // rows that retention removed, in all
	Unchained int64  // rows up to this id are from before there was a chain
	UpdatedAt Time   `gorm:"autoUpdateTime:false"`
}

// TableName keeps the singular: there is one chain.
func (AuditChain) TableName() string { return "audit_chain" }
