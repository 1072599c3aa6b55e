package discover

import "nanoclaw/internal/config"

// Vendor is a provider of models, for a page on which a person connects one.
type Vendor struct {
	Name     string         // as people call it
	Provider string         // config.Model.Provider
	BaseURL  string         // its endpoint
	KeyName  string         // the environment variable that usually holds its key
	Models   []config.Model // that are known of it: ID, Name, Model, ContextWindow, Supports
}

// Vendors are those that Environment knows, in the same order.
func Vendors() []Vendor {
	list := make([]Vendor, len(providers))
	for i, p := range providers {
		list[i] = Vendor{Name: p.name, Provider: p.kind, BaseURL: p.base, KeyName: p.keys[0], Models: p.models}
		if list[i].Provider == "" {
			list[i].Provider = "openai"
		}
	}
	return list
}
