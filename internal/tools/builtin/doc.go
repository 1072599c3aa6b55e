// Package builtin holds the tools that ship, one file per tool with its
// description for the model beside it. Each registers itself from init();
// package app imports this one once, blank.
//
// To add a tool, add a file: an argument struct, a function, a description, and
// tools.Register(tools.Define(…)). Its schema, its place in the API and in the
// model's tool list follow from that.
//
// What a tool needs of the server (workspaces, sub-agents, the store) it looks up
// by typed key in call.Services. It must not know of the executor, the guard or HTTP.
package builtin
