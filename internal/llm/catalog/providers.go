package catalog

import (
	"context"
	"net/http"
	"os"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/anthropic"
	"nanoclaw/internal/llm/demo"
	"nanoclaw/internal/llm/discover"
	"nanoclaw/internal/llm/openai"
)

// sources are where models come from beside the config, and what makes them.
type sources struct {
	environment func() []config.Model
	ollama      func(ctx context.Context, url string, client *http.Client) ([]config.Model, error)
	build       func(cfg config.Model, info llm.Info, opts llm.Options) llm.Model // nil: no such provider
}

// build makes the model of a provider.
func build(cfg config.Model, info llm.Info, opts llm.Options) llm.Model {
	switch info.Provider {
	case "openai":
		return openai.New(cfg, info, opts)
	case "anthropic":
		return anthropic.New(cfg, info, opts)
	case "demo":
		return demo.New(info)
	}
	return nil
}

func environment() []config.Model { return discover.Environment(os.Getenv) }
