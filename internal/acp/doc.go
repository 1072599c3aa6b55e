// Package acp gives tasks to agents that are programs of their own and speak the
// Agent Client Protocol over their standard input and output: coding assistants
// mostly. Every task has a program and a session of its own.
//
// What the agent says is collected and told as progress. It reads and writes the
// project's files through the project's Filesystem; what it asks a permission for
// is decided by one function, Decide; it is offered no terminal. None of this
// holds the program itself back: it runs with the server's rights, in the
// project's directory, because the administrator configured it. It is killed with
// all that it started when its task ends, is cancelled or takes too long.
//
// The package must not know of runs or HTTP.
package acp
