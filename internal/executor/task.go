package executor

import (
	"time"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/tools"
)

// phase is how far a call is.
type phase int

const (
	prepared  phase = iota // ready for the guard and the run
	answered               // has its record, which nobody was told of yet
	recorded               // the journal knows the record
	suspended              // waits for an approval
)

// task is one call of a batch on its way through the pipeline.
type task struct {
	inv   tools.Invocation // as in the batch
	shown tools.Invocation // redacted, as the journal and the record have it
	asked tools.Invocation // the same with presets in force, as a person is asked about it

	tool      *tools.Tool    // nil: unknown
	args      map[string]any // nil: they could not be used
	canonical []byte
	key       callKey
	grant     *guard.Grant
	stale     bool // an approval was there that is not for these arguments
	decision  guard.Decision

	duplicateOf *task // the earlier call whose result is this one's too

	phase    phase
	deferred bool // suspended only because of an earlier call
	earlier  bool // finished in an earlier attempt
	record   tools.Record
	code     string // of a failure, for the audit
	began    time.Time
	took     time.Duration
}

// first is the call whose fate this one shares.
func (t *task) first() *task {
	if t.duplicateOf != nil {
		return t.duplicateOf
	}
	return t
}

// ordered says whether the call has to keep its place among others: it runs,
// and what it does or sees is more than its arguments.
func (t *task) ordered() bool {
	return t.args != nil && t.tool.Effect != tools.Pure
}

// exclusive says whether no other ordered call may run beside it.
func (t *task) exclusive() bool { return t.ordered() && t.tool.Effect.Exclusive() }
