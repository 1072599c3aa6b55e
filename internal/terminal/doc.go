// Package terminal shows the events of one run to a person at a terminal (Screen)
// or to a pipe (Lines).
//
// Promise: what a model, a tool or a file name contains never controls the
// terminal: control characters are taken out, and in tool calls marked, before
// anything is written. A question for an approval shows its call in full. A Screen
// redraws in place only what fits into the terminal; what is finished is written
// once and scrolls away like any other output. Lines writes no escape code at all.
//
// The room knows the events of the HTTP API and nothing else of the house: not how
// they are fetched, not what to do when a run has ended.
package terminal
