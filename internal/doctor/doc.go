// Package doctor looks at the machine and the configuration and says what works,
// what does not, and how to get it.
//
// Promise: it changes nothing. It makes no file and no directory, calls no model,
// and opens the database read-only. It is quick: all checks run at once, each with a
// time limit of its own.
//
// It must not know how the house is wired: who owns the data directory and whether
// the page is built, it is told.
package doctor
