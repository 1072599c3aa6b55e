package models

// TokenUsage is what one model turn cost. StepID is unique, so that a checkpoint
// that is written again counts once. Day is YYYY-MM-DD in UTC.
type TokenUsage struct {
	ID               string `gorm:"primaryKey;size:36"`
	StepID           string `gorm:"size:36;uniqueIndex"`
	UserID           string `gorm:"size:36;index:idx_usage_user_day,priority:1"`
	ConversationID   string `gorm:"size:36;index"`
	ProjectID        string `gorm:"size:36"`
	RunID            string `gorm:"size:36"`
	RootRunID        string `gorm:"size:36;index"`
	Model            string `gorm:"size:200"`
	Day              string `gorm:"size:10;index:idx_usage_user_day,priority:2;index"`
	PromptTokens     int
	CompletionTokens int
	TotalTokens      int
	CachedTokens     int
	Cost             float64
	Estimated        bool
	CreatedAt        Time `gorm:"autoCreateTime:false"`
}

// Outbox is a message that is sent after the transaction that wrote it: events
// and work. Id order is sending order.
type Outbox struct {
	ID        int64  `gorm:"primaryKey;autoIncrement"`
	Subject   string `gorm:"size:300"`
	MessageID string `gorm:"size:120"` // JetStream drops a repeated one
	Payload   []byte
	CreatedAt Time `gorm:"autoCreateTime:false"`
}

// TableName keeps the singular: there is one outbox.
func (Outbox) TableName() string { return "outbox" }

// EventBody is an event that is too large for the event log: the log has a
// reference to it. It is kept for as long as events are.
type EventBody struct {
	MessageID      string `gorm:"primaryKey;size:120"`
	ConversationID string `gorm:"size:36;index"`
	Payload        []byte
	CreatedAt      Time `gorm:"autoCreateTime:false;index"`
}

// IdempotencyKey is a stored answer to a POST.
type IdempotencyKey struct {
	UserID      string `gorm:"primaryKey;size:36"`
	Key         string `gorm:"primaryKey;size:255"`
	RequestHash string `gorm:"size:64"` // of method, path and body
	Done        bool   // false: the first request is still at work
	Claim       string `gorm:"size:36"` // of who answers the request
	// ClaimedUntil is when another request may answer in the place of one that is not done.
	ClaimedUntil Time
	Status       int
	ContentType  string `gorm:"size:200"`
	Location     string
	Body         []byte
	CreatedAt    Time `gorm:"autoCreateTime:false"`
	ExpiresAt    Time `gorm:"index"`
}
