// Package wire reads what OpenAI-compatible servers send, and repairs what they
// send wrongly: framing (Decoder), chunks (Chunk), text that is cut inside a
// character (Joiner), reasoning inside the text (Think) and fragments of tool
// calls (Calls).
//
// Broken input is an error, never a panic and never a silent success. The
// package knows nothing of HTTP, retries or of what the answer is for.
package wire
