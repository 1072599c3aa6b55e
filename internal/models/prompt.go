package models

// Prompt is a text that a person keeps to send again.
type Prompt struct {
	ID        string `gorm:"primaryKey;size:36"`
	UserID    string `gorm:"size:36;index"`
	Name      string `gorm:"size:100"`
	Text      string
	Shared    bool // everybody on the server can use it
	CreatedAt Time `gorm:"autoCreateTime:false"`
	UpdatedAt Time `gorm:"autoUpdateTime:false"`
}
