package tools

import (
	"context"

	"nanoclaw/internal/services"
)

// LLMClientKey finds the model of the call's conversation.
var LLMClientKey = services.NewKey[LLMClient]("llm_client")

// LLMClient asks the model of a call's conversation.
type LLMClient interface {
	// Complete waits for the whole answer to a prompt, within the call's time limit.
	// The tokens count as the run's: in its usage, its cost and its budgets, which are
	// asked first. Secrets in the prompt are redacted before they leave the server. An
	// error has the code of the model's error, budget_exceeded, or blocked.
	Complete(ctx context.Context, call Call, prompt Prompt) (Completion, error)
}

// Prompt is what a tool asks a model. The model sees this and nothing of the conversation.
type Prompt struct {
	System      string   // instructions; empty: none
	Text        string   // the user's message
	MaxTokens   int      // of the answer; 0: the conversation's. A higher one is lowered to it
	Temperature *float64 // nil: the conversation's
}

// Completion is what the model answered.
type Completion struct {
	Text      string
	Model     string // the id that config.yml gives it
	Truncated bool   // the answer reached its limit of tokens
}
