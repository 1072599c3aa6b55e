// Package openai speaks the protocol of OpenAI's API: /v1/models, /v1/chat/completions
// and /v1/responses. It translates requests into turns of conversations and events into
// chunks, and decides nothing by itself: runs, guard, approvals and budgets are those of
// every turn.
package openai
