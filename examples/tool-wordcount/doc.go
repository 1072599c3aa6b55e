// Package wordcount is an example of a tool: word_frequency counts the words of
// a text. docs/adding-a-tool.md walks through it.
//
// A program gets the tool by importing the package, blank. To ship it with the
// server, move the files into internal/tools/builtin.
package wordcount
