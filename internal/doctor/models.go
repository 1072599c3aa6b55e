package doctor

import (
	"context"
	"fmt"
	"log/slog"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/catalog"
)

// models says which models can be chosen. None is called: that could cost money.
func (v *visit) models(context.Context) []Check {
	c := *v.config
	c.LLM.DiscoverOllama = false // it has a check of its own
	list := catalog.New(&c, llm.Options{Logger: slog.New(slog.DiscardHandler)})
	defer list.Close()
	var checks []Check
	for _, m := range list.List() {
		name := "model " + m.ID
		isDefault := m.ID == list.Default()
		detail := fmt.Sprintf("%s through %s", m.Model, m.Provider)
		switch {
		case m.Provider == "demo":
			detail = "works offline, by rules"
		case m.Source == catalog.SourceEnvironment:
			detail += ", found by its key in the environment; it was not called"
		default:
			detail += "; it was not called"
		}
		if isDefault {
			detail += "; new conversations use it"
		}
		switch {
		case m.Disabled && isDefault:
			checks = append(checks, fail(name, "is the default_model and disabled: "+m.Reason,
				"set what is missing, or choose another default_model")...)
		case m.Disabled:
			checks = append(checks, warn(name, "is disabled: "+m.Reason,
				"set what is missing before the server starts, or take the model out of config.yml")...)
		default:
			checks = append(checks, ok(name, detail)...)
		}
	}
	return checks
}
