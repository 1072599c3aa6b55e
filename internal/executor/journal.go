package executor

import (
	"context"
	"time"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/tools"
)

// Journal is told what happens to the calls of a batch, and makes it durable.
// Calls of it come from many goroutines at once. An error means that the run is
// no longer this process's to write (a lost lease, a full disk): the batch stops.
//
// The arguments of inv are for showing and storing: redacted, and valid JSON
// wherever the model's could be understood.
type Journal interface {
	// CallStarted comes just before a tool runs. For effect Writes it must be
	// durable when it returns; on an error the tool does not run.
	CallStarted(ctx context.Context, inv tools.Invocation, effect tools.EffectKind) error

	// CallFinished comes once for every call that has its answer, also for one that
	// never ran (failed, duplicate, cached). ctx outlives a cancelled run, so that
	// what happened is kept.
	CallFinished(ctx context.Context, record tools.Record) error

	// CallSuspended comes when a call needs an approval. It comes again for the
	// same call when the batch is processed again before that was decided.
	CallSuspended(ctx context.Context, suspension Suspension) error

	// CallProgress passes on how far a running call is. It must not block for long.
	CallProgress(id, message string, fraction float64)
}

// Suspension is a call that needs an approval.
type Suspension struct {
	Invocation tools.Invocation // for showing: with presets in force, secrets covered
	Hash       string           // guard.ArgumentsHash of what would run
	Decision   guard.Decision
	// Stale: an approval was there, but for other arguments than those that would run
	// now (a preset or a context value has changed).
	Stale bool
}

// AuditFunc is told of every finished call, once, just before the journal: so both can
// be stored together.
type AuditFunc func(ctx context.Context, entry AuditEntry)

// AuditEntry is one finished call for the audit. Arguments are those that the
// tool ran with or would have: injected ones and defaults included, redacted.
type AuditEntry struct {
	Time           time.Time // when the call began
	CallID         string
	Tool           string
	Arguments      string // JSON; the model's text where it was not valid
	RunID          string
	RootRunID      string
	ConversationID string
	ProjectID      string
	UserID         string
	AgentPath      string
	Profile        string
	Effect         tools.EffectKind // empty: the tool is unknown
	Success        bool
	Code           string // of a failure
	Result         string // JSON, as the record has it
	Cached         bool
	DuplicateOf    string
	Verdict        guard.Verdict // empty: the call never came before the guard
	Permission     string        // the standing approval that let the call pass, and what it covers
	Findings       []guard.Finding
	DecidedBy      string // user who approved or denied the call
	Duration       time.Duration
}

// noJournal is for a batch that nobody follows.
type noJournal struct{}

var _ Journal = noJournal{}

func (noJournal) CallStarted(context.Context, tools.Invocation, tools.EffectKind) error { return nil }
func (noJournal) CallFinished(context.Context, tools.Record) error                      { return nil }
func (noJournal) CallSuspended(context.Context, Suspension) error                       { return nil }
func (noJournal) CallProgress(string, string, float64)                                  {}
