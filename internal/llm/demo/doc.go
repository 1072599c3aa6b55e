// Package demo is a model that needs no key and no network. It understands a
// small set of requests in English and Chinese by rules, plans them and calls the
// tools that are offered, so that a fresh install shows real work at once.
//
// It runs nothing itself and invents nothing: every figure, name and text in its
// answers comes from a tool's result; what it does not understand, what a tool
// refused and what no tool is offered for, it says. It keeps no state: what has been
// done is read from the messages after the last user message, where the ids of its
// own calls name the step that each belongs to. The same request always gets the
// same answer.
//
// A turn goes through the files in this order: quote (cover what is quoted), split
// (sentence into clauses), english and chinese (clause into steps), resolve ("it",
// "the result"), history (what is done), plan (what can go now), call (arguments),
// answer (report).
package demo
