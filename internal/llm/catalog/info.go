package catalog

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/discover"
)

// infoOf describes a configured model with its defaults filled in.
func infoOf(cfg config.Model, source string) llm.Info {
	info := llm.Info{
		ID: cfg.ID, Name: cfg.Name, Provider: cfg.Provider, Model: cfg.Model, ContextWindow: cfg.ContextWindow,
		MaxOutput: cfg.MaxOutput, Supports: slices.Clone(cfg.Supports), Source: source,
	}
	if info.Name == "" {
		info.Name = info.ID
	}
	if info.Model == "" {
		info.Model = info.ID
	}
	if info.Provider == "" {
		info.Provider = "openai"
	}
	if info.Supports == nil {
		info.Supports = []string{} // an empty list in JSON
	}
	if info.Provider == "demo" && source == SourceConfig {
		info.Source = SourceBuiltin
	}
	info.Vendor, info.Price = vendorOf(cfg, info), llm.Price(cfg.Price)
	info.MissingEnv = cfg.MissingEnv
	info.Reason = whyDisabled(cfg, info.Provider)
	info.Disabled = info.Reason != ""
	return info
}

// whyDisabled is empty where a model can be used.
func whyDisabled(cfg config.Model, provider string) string {
	switch {
	case cfg.MissingEnv != "":
		return fmt.Sprintf("the environment variable %s is not set", cfg.MissingEnv)
	case provider != "demo" && cfg.BaseURL == "" && cfg.APIKey == "" && len(cfg.Headers) == 0:
		return "it has no api_key"
	}
	return ""
}

// vendorOf names who answers: a provider that is known by its address, or the address's host.
func vendorOf(cfg config.Model, info llm.Info) string {
	switch {
	case info.Provider == "demo":
		return ""
	case info.Source == SourceOllama:
		return "Ollama"
	}
	for _, vendor := range discover.Vendors() {
		if strings.TrimRight(cfg.BaseURL, "/") == vendor.BaseURL ||
			cfg.BaseURL == "" && vendor.Provider == info.Provider { // the first is the provider itself
			return vendor.Name
		}
	}
	address, err := url.Parse(cfg.BaseURL)
	if err != nil || address.Host == "" {
		return info.Provider
	}
	return address.Host
}
