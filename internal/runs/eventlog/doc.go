// Package eventlog carries work and news over NATS JetStream: the stream WORK
// wakes workers, the stream EVENTS keeps what happened so that any client can
// watch it live, from the start, or from where it was cut.
//
// Promise: what Publish returned nil for is in the stream, once, in the order of
// one publisher. A subscription misses nothing and repeats nothing after its
// cursor; a subscriber that is too slow is ended with ErrSlow and resumes with
// its cursor. The database holds what is true: deleting the folder costs replay,
// nothing else. NATS that no longer works (a full disk, a damaged or deleted folder)
// is noticed within seconds and replaced; meanwhile every call fails at once.
//
// It knows nothing of runs: subjects, cursors and bytes are all it sees.
package eventlog
