// Package retry is what calls of models over a network have in common: the idle
// timeout, the classification of errors, and when a call is retried. The providers
// openai and anthropic are built on it.
package retry
