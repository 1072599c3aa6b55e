// Package mcp is a client of Model Context Protocol servers: the servers of
// config.yml are started or reached, and their tools stand in the registry as
// mcp__<server>__<tool>.
//
// Every server has a life of its own in the background: start, list, serve, and
// after a loss another start with growing pauses. A server that is not there
// delays nobody: its tools keep their place in the list and answer "unavailable",
// with what is wrong. What a server sends is bounded, and nothing of it is
// trusted but that the administrator wants its tools to be called: what a server
// says of a tool's effects makes the tool stricter, and laxer only where the
// configuration trusts it.
//
// The package must not know of runs, projects or HTTP.
package mcp
