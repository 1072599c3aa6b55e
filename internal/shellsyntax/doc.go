// Package shellsyntax says what a shell command line really runs, from its
// syntax tree and not from its text. It is the one wrapper over mvdan.cc/sh.
//
// Parse checks a line; Commands lists every simple command in it, through pipes,
// lists, functions, substitutions and programs that run other programs (env,
// xargs, sudo, bash -c …), and says of every word whether it is known before the
// line runs; Dangers compares them with the built-in rules of destructive commands.
//
// Analyze is what the guard uses: it also works out variables, arrays and functions
// (variables.go, functions.go), what the line writes into files and runs (written.go),
// what programs are told in options and languages of their own (tools.go), and what is
// written to look like something else (oddities.go). budget.go bounds all of it. Where
// the parser and bash differ, comments.go has it; bash_test.go compares the two.
//
// It must not know of policies, configuration or tools. It never runs anything.
package shellsyntax
