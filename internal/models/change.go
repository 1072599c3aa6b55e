package models

// RunChange is what a run, with its sub-agents, changed at one path of a project.
// Kinds are file, directory, symlink, other, and empty for nothing. The row with
// an empty path holds a note for people in Reason.
type RunChange struct {
	RootRunID  string `gorm:"primaryKey;size:36"`
	ProjectID  string `gorm:"primaryKey;size:36"`
	Path       []byte `gorm:"primaryKey"` // from the project's root; bytes, since a name need not be UTF-8
	RunID      string `gorm:"size:36"`    // whose call touched it first
	CallID     string `gorm:"size:36"`
	BeforeKind string `gorm:"size:20"` // before the run touched it first
	BeforeSize int64
	BeforeMode uint32
	BeforeETag string `gorm:"column:before_etag;size:64;index"` // names the kept content
	BeforeLink string
	Kept       bool   // the content from before is kept, or needs no keeping
	Reason     string // why it is not
	AfterKnown bool   // false: the call that changes it has not ended
	AfterKind  string `gorm:"size:20"` // what the run left
	AfterSize  int64
	AfterETag  string `gorm:"column:after_etag;size:64"`
	AfterLink  string
	AfterStamp string // of a file whose content was not read
	MovedFrom  []byte // where its content was before
	Mixed      bool   // somebody else changed it between two changes of the run
	CreatedAt  Time   `gorm:"autoCreateTime:false"`
	UpdatedAt  Time   `gorm:"autoUpdateTime:false"`
}
