package models

// Sources of schedules.
const (
	SourceAPI    = "api"
	SourceConfig = "config" // config.yml: changed there alone
)

// Policies of schedules.
const (
	MissedSkip   = "skip" // a moment at which no server ran is left out
	MissedOnce   = "once" // of all such moments the last one is made up for
	OverlapSkip  = "skip" // a moment at which the last run is still at work is left out
	OverlapQueue = "queue"
)

// Target is what a trigger starts: a turn in a new conversation.
type Target struct {
	Agent     string `gorm:"size:64"`
	Model     string `gorm:"size:200"`
	ProjectID string `gorm:"size:36"`
	Text      string // of a hook: the template
}

// Schedule starts runs at times.
type Schedule struct {
	ID       string `gorm:"primaryKey;size:36"`
	UserID   string `gorm:"size:36;index"`
	Name     string `gorm:"size:200"`
	Cron     string `gorm:"size:200"`
	Timezone string `gorm:"size:64"` // IANA name; empty: UTC
	Target   `gorm:"embedded"`
	Missed   string `gorm:"size:10"`
	Overlap  string `gorm:"size:10"`
	// JitterSeconds delays each run by a part of this that is its own.
	JitterSeconds int
	Enabled       bool
	Source        string `gorm:"size:10"`
	NextAt        Time   // the next moment; 0: never
	LastRunID     string `gorm:"size:36"`
	CreatedAt     Time   `gorm:"autoCreateTime:false"`
	UpdatedAt     Time   `gorm:"autoUpdateTime:false"`
}

// Kinds of authentication of hooks.
const (
	HookHMAC  = "hmac"
	HookToken = "token"
)

// Hook starts a run for each request that proves to know its secret.
type Hook struct {
	ID        string `gorm:"primaryKey;size:36"`
	UserID    string `gorm:"size:36;index"`
	Name      string `gorm:"size:200"`
	Target    `gorm:"embedded"`
	Auth      string `gorm:"size:10"`
	Secret    string
	Enabled   bool
	CreatedAt Time `gorm:"autoCreateTime:false"`
	UpdatedAt Time `gorm:"autoUpdateTime:false"`
}

// Outcomes of firings.
const (
	FiringStarted = "started"
	FiringSkipped = "skipped"
	FiringFailed  = "failed"
)

// Firing is one time that a trigger was due. Its key is unique within the trigger: who
// writes the row has the firing.
type Firing struct {
	ID             string `gorm:"primaryKey;size:36"`
	TriggerID      string `gorm:"size:36;uniqueIndex:idx_firings_key,priority:1"`
	Key            string `gorm:"column:firing_key;size:300;uniqueIndex:idx_firings_key,priority:2"`
	DueAt          Time
	Outcome        string `gorm:"size:10"`
	Detail         string // why there is no run
	RunID          string `gorm:"size:36"`
	ConversationID string `gorm:"size:36"`
	CreatedAt      Time   `gorm:"autoCreateTime:false"`
}
