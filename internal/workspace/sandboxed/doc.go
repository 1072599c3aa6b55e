// Package sandboxed keeps the files of mode sandbox: a directory of its own on this machine
// for each isolation key, which is the only one that commands see. It is leased to one
// process at a time, stored as a snapshot while nobody uses it, and restored from the
// snapshot where this machine does not have it or has an older one.
//
// How commands are isolated is package sandbox's. What may be lost: when a machine is
// gone, what was changed since the last snapshot; when a process is gone, nothing.
package sandboxed
