// Package shell keeps long-lived bash sessions: the working directory, variables,
// functions, aliases and history of one command are there for the next.
//
// A command travels on a descriptor of its own and its exit status comes back on
// another, which the command's processes do not inherit; its standard input is
// empty. So a command can neither hang a session by reading nor by a child that
// stays in the background, and what it prints is never mistaken for its status.
//
// The package must not know of tools, conversations or HTTP; its keys are opaque.
package shell
