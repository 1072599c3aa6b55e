package store

import "github.com/google/uuid"

// NewID returns a new UUIDv7 as text. Within one process each is greater than
// all before it, also where the clock stands still or goes back.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
