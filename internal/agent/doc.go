// Package agent is one agent at work: the loop context → model → tools → …, and
// the fan-out into sub-agents. The loop is a function of what it is given: a
// Spec with the steps that earlier attempts finished, and a Journal, where every
// step and every tool result is checkpointed before the loop goes on. Entered
// again with what the journal kept, it goes on from there.
//
// It knows nothing of the store, the queue or HTTP; package runs gives it those.
package agent
