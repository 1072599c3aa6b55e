// Package redact finds secrets in text and redacts them, before the text reaches
// a model, a log, a stream or the store.
//
// A Redactor knows three kinds of things: token formats and other shapes of
// secrets (built-in rules, a few of them for personal data and off by default),
// the administrator's own rules (RE2), and exact values of secrets that the
// server itself holds, which it also finds encoded.
//
// What it promises:
//
//   - What is found is redacted whole; where finds overlap, all of them is redacted.
//   - A text in which nothing is found comes back unchanged, without allocation.
//   - Redacting a redacted text changes nothing; only a custom rule that reads
//     what stands around its match may then find something more.
//   - A Stream gives, piece by piece, the text that String gives for the whole (see
//     there for what is longer than it reads as one).
//   - No text makes it slow out of proportion: what is scanned again for every
//     keyword is bounded.
//
// The package must not know who uses it: it imports nothing of ours.
package redact
