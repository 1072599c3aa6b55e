// Package notify delivers messages to a webhook: signed, in order, tried again with
// growing pauses, through an HTTP client that reaches no private address but the
// configured host. A Forwarder makes the messages: of ends of runs and questions in the
// event log, and of commands that went wrong.
//
// What it promises: Deliver returns when the message was taken or is given up.
// The same message has the same id at every attempt, so that a receiver can drop
// repetitions. A run never waits for a message.
package notify
