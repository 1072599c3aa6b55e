// Package executor is the one pipeline that every tool call goes through:
//
//	parse → strip → inject → validate → dedupe → guard → cache → run → redact → truncate → record
//
// It takes the calls that a model made in one step (a Batch), and answers each
// with a Record, in call order. The outcome of running a batch in parallel is
// that of running it in order. A tool's failure is a record, never an error: the
// model decides what to do about it, and nothing is retried here.
//
// What is promised about order holds inside one batch. Two batches at work in
// the same project at once (two sub-agents) are not ordered against each other;
// the file system's own atomicity is what they have.
//
// The package keeps no state but the result cache. It must not know of runs,
// stores or models: it tells a Journal what happens, and the journal's owner
// makes that durable.
package executor
