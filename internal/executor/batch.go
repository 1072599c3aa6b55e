package executor

import (
	"nanoclaw/internal/guard"
	"nanoclaw/internal/tools"
)

// Env is what holds for every call of a batch.
type Env struct {
	// Call is the template of every tools.Call: run ids, agent path, settings,
	// services. ID, Tool, OutputLimit, Progress and Pause are set per call.
	Call tools.Call

	// Scope separates what the cache knows: the conversation and agent profile, or
	// a sub-agent's run id. Nothing is served across scopes, and nothing at all without one.
	Scope string

	// Presets are the agent profile's arguments by tool. They win over the
	// configuration's presets and the model's arguments.
	Presets map[string]map[string]any

	// Own are tools of this run alone, by name; they win over the registry's, and
	// Refuse is not asked about them.
	Own map[string]*tools.Tool

	// Refuse is the permission to call a tool: nil, or an error that answers the
	// call with code blocked. A nil function permits everything.
	Refuse func(tool string) error

	// Journal is told what happens. nil: nobody is.
	Journal Journal
}

// Batch is the calls that a model made in one step, in its order.
type Batch struct {
	Calls []tools.Invocation

	// Done holds the records of calls that finished in an earlier attempt, by id.
	// They stand as they are and still count for order and duplicates.
	Done map[string]tools.Record

	// Granted holds the decisions about calls that were suspended, by id.
	Granted map[string]guard.Grant
}

// Outcome is what became of one call.
type Outcome struct {
	Invocation tools.Invocation

	// Record answers the call. It is empty while the call is suspended.
	Record tools.Record

	// Suspended: the call waits for an approval: its own, that of a sub-agent that
	// it runs, or, when Deferred, that of an earlier call that it has to come after
	// or is a duplicate of.
	Suspended bool
	Deferred  bool

	// Unrecorded: the run ended or goes on elsewhere (tools.ErrUnfinished) before the call
	// had an outcome that lasts. A later attempt runs it again, unless it had begun and
	// Writes; Record says cancelled, and the journal was not told.
	Unrecorded bool
}
