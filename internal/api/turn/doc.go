// Package turn is what the interfaces for other software share: a conversation made of
// the messages that a client sends along, and a run's events as values, in order and
// without repetition. It knows nothing of HTTP and of any protocol.
package turn
