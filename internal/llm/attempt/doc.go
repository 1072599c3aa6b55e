// Package attempt is what calls of models over a network have in common: how long
// a silent provider is waited for, what its errors mean, and when a call is tried
// again. The providers openai and anthropic are built on it.
package attempt
