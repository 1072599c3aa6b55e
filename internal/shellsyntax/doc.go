// Package shellsyntax says what a shell command line really runs, from its
// syntax tree and not from its text. It is the one wrapper over mvdan.cc/sh.
//
// Parse checks a line; Commands lists every simple command in it, through pipes,
// lists, functions, substitutions and programs that run other programs (env,
// xargs, sudo, bash -c …), and says of every word whether it is known before the
// line runs; Dangers compares them with the built-in rules of destructive commands.
//
// It must not know of policies, configuration or tools. It never runs anything.
package shellsyntax
