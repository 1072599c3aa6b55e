package discover

import (
	"slices"
	"strings"

	"nanoclaw/internal/config"
)

// unknownWindow is the context window, in tokens, that a model is taken to have
// when only its name is known.
const unknownWindow = 128_000

// Environment makes entries for every provider whose key is set. <PREFIX>_BASE_URL
// sends them to another address (a proxy, a region, a compatible server), and
// <PREFIX>_MODEL, names with commas between them, takes the place of the models
// that are known here. getenv is os.Getenv, or what a test gives.
func Environment(getenv func(string) string) []config.Model {
	var found []config.Model
	for _, p := range providers {
		key := firstSet(getenv, p.keys)
		if key == "" {
			continue
		}
		base := strings.TrimSpace(getenv(p.prefix + "_BASE_URL"))
		if base == "" && p.prefix == "OPENAI" {
			base = strings.TrimSpace(getenv("OPENAI_API_BASE")) // its older name
		}
		if base == "" {
			base = p.base
		}
		for _, model := range p.wanted(getenv(p.prefix + "_MODEL")) {
			model.Name += " (" + p.name + ")"
			model.Provider, model.BaseURL, model.APIKey = p.kind, base, config.Secret(key)
			if model.Provider == "" {
				model.Provider = "openai"
			}
			if model.Model == "" {
				model.Model = model.ID
			}
			model.Supports = slices.Clone(model.Supports)
			found = append(found, model)
		}
	}
	return found
}

// firstSet is the value of the first variable that has one.
func firstSet(getenv func(string) string, names []string) string {
	for _, name := range names {
		if value := strings.TrimSpace(getenv(name)); value != "" {
			return value
		}
	}
	return ""
}

// wanted are the models of a list of names, or the provider's own where it is empty.
func (p provider) wanted(names string) []config.Model {
	var wanted []config.Model
	for _, name := range strings.Split(names, ",") {
		if name = strings.TrimSpace(name); name != "" {
			wanted = append(wanted, p.named(name))
		}
	}
	if len(wanted) == 0 {
		return p.models
	}
	return wanted
}

// named is what is known of a model, or what can be assumed.
func (p provider) named(name string) config.Model {
	for _, model := range p.models {
		if model.ID == name || model.Model == name {
			return model
		}
	}
	return config.Model{ID: name, Name: name, ContextWindow: unknownWindow, Supports: toolsOnly}
}
