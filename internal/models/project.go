package models

// Project is a folder of files that conversations work in.
type Project struct {
	ID           string `gorm:"primaryKey;size:36;index:idx_projects_list,priority:3"`
	UserID       string `gorm:"size:36;index:idx_projects_list,priority:1"`
	Name         string `gorm:"size:200"`
	Description  string
	Instructions string   // in the context of every run in the project
	Path         string   // absolute, an existing directory that was given; empty: <workspace_root>/<id>
	Skills       Switches `gorm:"serializer:json"`
	MemoryOff    bool     // agents are not told what they noted
	Version      int64    // grows with every change: the ETag
	CreatedAt    Time     `gorm:"autoCreateTime:false"`
	UpdatedAt    Time     `gorm:"autoUpdateTime:false;index:idx_projects_list,priority:2"`
}

// Switches are skills that a person switched on (true) or off, by name. A skill that is
// not in it is on, in a conversation as in its project.
type Switches map[string]bool
