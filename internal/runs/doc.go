// Package runs is a run's life: it is queued, taken by a worker, checkpointed
// after every step, resumed after a crash, cancelled, and ended; and everything
// that happens to it is told as events.
//
// Promise: what was answered with 202 is in the database. A step or a tool result
// that was checkpointed is never done again. A tool with effects that was in
// flight when the process died is not run a second time. Every write carries the
// attempt that made it, so that a worker that lost its run changes nothing.
//
// It must not know of HTTP; package api shows what is here.
package runs
