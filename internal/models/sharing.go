package models

// Roles of a project's members. The owner is the project's user and no row.
const (
	MemberOwner  = "owner"
	MemberEditor = "editor" // works in it
	MemberViewer = "viewer" // looks at it
)

// ProjectMember is a user who may use another's project and the conversations in it.
type ProjectMember struct {
	ProjectID string `gorm:"primaryKey;size:36"`
	UserID    string `gorm:"primaryKey;size:36;index"`
	Role      string `gorm:"size:20"` // editor | viewer
	CreatedAt Time   `gorm:"autoCreateTime:false"`
}

// ShareLink shows one conversation to everybody who has its token.
type ShareLink struct {
	ID             string `gorm:"primaryKey;size:36"`
	Hash           string `gorm:"size:64;uniqueIndex"` // SHA-256 of the token, in hex
	ConversationID string `gorm:"size:36;index"`
	CreatedBy      string `gorm:"size:36"`
	CreatedAt      Time   `gorm:"autoCreateTime:false"`
	ExpiresAt      Time   // 0: it does not expire
}
