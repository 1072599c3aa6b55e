// Package process runs a helper program that is spoken to over its standard
// input and output, as the Model Context Protocol and the Agent Client Protocol
// do: with an environment of its own, in a process group of its own, its error
// output handed on line by line, and gone when the server is gone.
//
// It isolates nothing: a program runs with the server's rights, and its
// configuration is the administrator's word that it may. What a model wants to
// run goes through package sandbox instead. The package knows no protocol and
// nothing of the server. It also knows which processes descend from this one: see Adopt
// and CallerOf.
//
// On Linux the program is killed when the server dies, however it dies. What the
// program itself started sees the end of its input then, but is not killed; it
// is when the server stops the program. Other systems have the end of input alone.
package process
