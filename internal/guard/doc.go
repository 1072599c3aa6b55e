// Package guard decides whether a tool call may run: it is denied, it needs a
// person's approval, it was approved before, or it is allowed.
//
// The executor asks it about every call, before the cache and before the run. It
// must not know of the executor, of runs or of HTTP.
package guard
