package models

// SignInState is a sign-in that a person has begun at a provider. It is used once.
type SignInState struct {
	Hash      string `gorm:"primaryKey;size:64"` // SHA-256 of the state, in hex
	Provider  string `gorm:"size:64"`
	Nonce     string `gorm:"size:64"`
	Verifier  string `gorm:"size:64"` // of PKCE
	Back      string // the path of the app to which the person returns
	ExpiresAt Time
}
