package models

// LocalUserID is the one user of auth_mode single.
const LocalUserID = "00000000-0000-7000-8000-000000000001"

// User is a person. Single mode has one, LocalUserID, with role admin.
type User struct {
	ID        string `gorm:"primaryKey;size:36"`
	Name      string `gorm:"size:200;uniqueIndex"`
	Role      string `gorm:"size:20"` // admin | user
	Timezone  string `gorm:"size:64"` // IANA name; empty: the server's
	CreatedAt Time   `gorm:"autoCreateTime:false"`
	UpdatedAt Time   `gorm:"autoUpdateTime:false"`
}
