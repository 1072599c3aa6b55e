package discover

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"nanoclaw/internal/config"
)

// ollamaWindow bounds the context window, in tokens, that is assumed for a model
// that is not loaded: Ollama gives a model as much as the machine has room for, not
// what it could take, and cuts longer prompts off without a word.
const ollamaWindow = 32_768

// tagList is the answer of /api/tags, and of /api/ps, which lists what is loaded.
type tagList struct {
	Models []struct {
		Name          string `json:"name"`
		ContextLength int    `json:"context_length"` // /api/ps only: what it runs with
	} `json:"models"`
}

func (l tagList) names() []string {
	var names []string
	for _, model := range l.Models {
		if model.Name != "" && !slices.Contains(names, model.Name) && len(names) < maxModels {
			names = append(names, model.Name)
		}
	}
	return names
}

// window is the context window of a loaded model, 0 for any other.
func (l tagList) window(name string) int {
	for _, model := range l.Models {
		if model.Name == name {
			return max(model.ContextLength, 0)
		}
	}
	return 0
}

// description is the part of /api/show's answer that counts here.
type description struct {
	Capabilities []string                   `json:"capabilities"` // completion, tools, vision, thinking, embedding
	Parameters   string                     `json:"parameters"`   // lines such as "num_ctx 8192"
	ModelInfo    map[string]json.RawMessage `json:"model_info"`   // "<family>.context_length" among others
}

// entry is a model's config; false: it cannot chat.
func (d description) entry(name string, loaded int) (config.Model, bool) {
	if d.Capabilities == nil && strings.Contains(strings.ToLower(name), "embed") {
		return config.Model{}, false
	}
	if d.Capabilities != nil && !slices.Contains(d.Capabilities, "completion") {
		return config.Model{}, false
	}
	short := strings.TrimSuffix(name, ":latest")
	model := config.Model{
		ID: "ollama/" + short, Name: short + " (Ollama)", Provider: "openai", Model: name,
		ContextWindow: d.window(loaded), Supports: d.supports(),
	}
	return model, true
}

func (d description) supports() []string {
	if d.Capabilities == nil {
		return []string{"tools"} // an older server does not say
	}
	supports := []string{}
	for _, pair := range [][2]string{{"tools", "tools"}, {"thinking", "thinking"}, {"vision", "images"}} {
		if slices.Contains(d.Capabilities, pair[0]) {
			supports = append(supports, pair[1])
		}
	}
	return supports
}

// window is what the model runs with, else what it was made to run with, else what
// it can take, within reason.
func (d description) window(loaded int) int {
	if loaded > 0 {
		return loaded
	}
	for _, line := range strings.Split(d.Parameters, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == "num_ctx" {
			if n, err := strconv.Atoi(fields[1]); err == nil && n > 0 {
				return n
			}
		}
	}
	for key, raw := range d.ModelInfo {
		var n int
		if strings.HasSuffix(key, ".context_length") && json.Unmarshal(raw, &n) == nil && n > 0 {
			return min(n, ollamaWindow)
		}
	}
	return ollamaWindow
}
