// Package triggers starts runs without a person: schedules at their times, and hooks for
// requests of other programs. A firing is claimed by a unique row in the database, in the
// transaction that starts its run: whatever dies, and however many replicas there are, it
// happens once. It knows nothing of HTTP but signatures.
package triggers
