package models

import "encoding/json"

// ClientTool is a tool that a client brought along with a turn. The server never runs
// it: a call of it waits until the client sends the result.
type ClientTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // JSON Schema of an object; empty: any arguments
}

// ClientCall is a call of a client's tool that waits, or waited, for its result.
type ClientCall struct {
	CallID     string `gorm:"primaryKey;size:36"`
	RootRunID  string `gorm:"size:36;index"`
	UserID     string `gorm:"size:36"`
	Name       string `gorm:"size:200"`
	Result     string // JSON; set with AnsweredAt
	AskedAt    Time   `gorm:"autoCreateTime:false"`
	AnsweredAt Time
	ExpiresAt  Time // without a result by then its run is cancelled
}
