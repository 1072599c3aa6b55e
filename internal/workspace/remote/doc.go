// Package remote keeps files in JetStream, for every replica that is connected to it.
//
// The names of a namespace's files are a journal: one message per change, published
// only where the last message is the one that its author knew (compare and swap). A
// change is therefore whole or absent, also one that moves a directory, whatever
// process dies. Each process holds the tree that the journal describes in memory and
// asks for newer messages before every operation, so that it reads what others wrote.
// Now and then the tree is stored as a snapshot, and the journal before it is purged.
//
// Contents never change: small ones are values of a key-value bucket, larger ones
// objects of the object store. Those that no journal names are collected later.
//
// A path cannot leave its namespace: each has a journal of its own.
package remote
