package workspace

// Actor is who changes files, for the records that are kept of it. The zero value
// is nobody in particular.
type Actor struct {
	UserID    string
	RunID     string // empty: a person, not a run
	RootRunID string
	CallID    string
}
