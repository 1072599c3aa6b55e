package catalog

import (
	"context"
	"fmt"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
)

// tryTokens bounds what a trial may cost.
const tryTokens = 64

// Try asks a model that is not in the catalog for a word, once, to see whether its
// endpoint, key and name work. The error is a *llm.Error.
func (c *Catalog) Try(ctx context.Context, cfg config.Model) error {
	info := infoOf(cfg, SourceConfig)
	if info.Disabled {
		return &llm.Error{Code: llm.CodeAuth, Message: info.Reason}
	}
	c.mu.Lock()
	opts := c.limits()
	c.mu.Unlock()
	opts.MaxRetries = -1
	model := c.sources.build(cfg, info, opts)
	if model == nil {
		return &llm.Error{Code: llm.CodeInvalidRequest, Message: fmt.Sprintf("there is no provider %q", info.Provider)}
	}
	return ask(ctx, model)
}

// TryID is Try for a model of the catalog.
func (c *Catalog) TryID(ctx context.Context, id string) error {
	model, err := c.Get(id)
	if err != nil {
		return err
	}
	return ask(ctx, model)
}

func ask(ctx context.Context, model llm.Model) error {
	request := llm.Request{MaxTokens: tryTokens, Thinking: llm.ThinkingOff, Messages: []llm.Message{
		{Role: llm.RoleUser, Text: "Answer with the word OK."},
	}}
	for _, err := range model.Stream(ctx, request) {
		if err != nil {
			return err
		}
	}
	return nil
}
