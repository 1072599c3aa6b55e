// Package demo is a model that needs no key and no network. It understands a
// small set of requests in English and Chinese by rules, plans them and calls the
// tools that are offered, so that a fresh install shows real work at once.
//
// It invents nothing: every figure and text in its answers comes from a tool's
// result. It keeps no state: what has been done is read from the messages after
// the last user message, where the ids of its calls name their steps. The same
// request always gets the same answer.
//
// A turn goes through the files in this order: clauses (sentence into clauses),
// intents (clause into steps; a new kind of request is a row there), resolve ("it",
// "the result"), plan (what can go now), report (answer).
package demo
