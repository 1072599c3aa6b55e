package models

// LocalUserID is the one user of auth_mode single.
const LocalUserID = "00000000-0000-7000-8000-000000000001"

// Roles of users.
const (
	AccountAdmin  = "admin"
	AccountUser   = "user"
	AccountViewer = "viewer" // reads, and changes nothing but the own account
)

// User is a person. Single mode has one, LocalUserID, with role admin.
type User struct {
	ID           string `gorm:"primaryKey;size:36"`
	Name         string `gorm:"size:200;uniqueIndex"` // as it is compared: lower case, NFC
	Role         string `gorm:"size:20"`              // admin | user | viewer
	Timezone     string `gorm:"size:64"`              // IANA name; empty: the server's
	PasswordHash string // argon2id in PHC form; empty: nobody can sign in with a password
	Issuer       string // of OpenID Connect; empty: the account is of this server alone
	Subject      string // who the user is at the issuer
	Quota        *Quota `gorm:"serializer:json"` // nil: the role's
	DisabledAt   Time   // 0: the account is in use
	CreatedAt    Time   `gorm:"autoCreateTime:false"`
	UpdatedAt    Time   `gorm:"autoUpdateTime:false"`
}

// MayRun says whether agents may work for the user.
func (u *User) MayRun() bool { return u.DisabledAt == 0 && u.Role != AccountViewer }

// Session is a browser that is signed in.
type Session struct {
	ID         string `gorm:"primaryKey;size:36"`
	Hash       string `gorm:"size:64;uniqueIndex"` // SHA-256 of the cookie's value, in hex
	UserID     string `gorm:"size:36;index"`
	Address    string `gorm:"size:64"`
	Client     string `gorm:"size:300"` // the User-Agent
	CreatedAt  Time   `gorm:"autoCreateTime:false"`
	LastSeenAt Time
	ExpiresAt  Time
}

// Scopes of API tokens: each includes those before it.
const (
	ScopeRead  = "read"
	ScopeRun   = "run"
	ScopeAdmin = "admin"
)

// APIToken lets a program act for a user.
type APIToken struct {
	ID         string `gorm:"primaryKey;size:36"`
	Hash       string `gorm:"size:64;uniqueIndex"` // SHA-256 of the token, in hex
	UserID     string `gorm:"size:36;index"`
	Name       string `gorm:"size:200"`
	Scope      string `gorm:"size:20"` // read | run | admin
	CreatedAt  Time   `gorm:"autoCreateTime:false"`
	LastUsedAt Time   // 0: never
	ExpiresAt  Time   // 0: it does not expire
}

// TableName is the table's; gorm would split the abbreviation.
func (APIToken) TableName() string { return "api_tokens" }

// AccountLink lets who holds it choose a password, once.
type AccountLink struct {
	Hash      string `gorm:"primaryKey;size:64"` // SHA-256 of the link's token, in hex
	UserID    string `gorm:"size:36"`            // empty: it makes the first administrator
	ExpiresAt Time
}

// SignInFailure counts wrong passwords in a row, of one name from one address or of one
// address.
type SignInFailure struct {
	ID       string `gorm:"primaryKey;size:64"` // a hash: names that do not exist are not kept
	Failures int64
	LastAt   Time
}
