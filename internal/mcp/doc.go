// Package mcp is a client of Model Context Protocol servers: the servers of
// config.yml are started or reached, and their tools stand in the registry as
// mcp__<server>__<tool>.
//
// Every server has a life of its own in the background: start, list, serve, and
// after a loss another start with growing pauses. A server that is not there
// delays nobody: its tools keep their place in the list and answer "unavailable",
// with what is wrong. What a server sends is bounded, and nothing of it is
// trusted but that the administrator wants its tools to be called: a server says
// what a tool is for and whether it changes things, unless the configuration says
// otherwise.
//
// The package must not know of runs, projects or HTTP.
package mcp
