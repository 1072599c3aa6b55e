// Package shellanalysis says what a shell command line would run, without running it.
//
// Analyze parses a line (parse.go), looks for ways of writing that hide what it does
// (obfuscation.go, characters.go), changes its syntax tree so that every branch is taken
// and every loop ends (rewrite.go), and gives the tree to the interpreter of mvdan.cc/sh
// with programs that only record how they are called (dryrun.go). So variables, arrays,
// functions, eval, read, IFS and here-documents mean what they mean to a shell. Programs
// that run other programs are rows of a table (data/wrappers.yaml); files that the line writes
// live in memory (stubs.go). What cannot be known before the line runs is a marker in the
// text (marker.go): a program whose name has one is not understood.
//
// The dry run touches no file, starts no process and opens no connection. It is bounded
// in steps, memory and time. The files are in the order in which they use each other:
// analysis, dryrun, calls, wrappers, interpreters, stubs, rewrite, obfuscation, then the
// rest.
//
// It must not know of policies, configuration or tools.
package shellanalysis
