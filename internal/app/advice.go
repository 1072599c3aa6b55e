package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nanoclaw/internal/config"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/nearest"
	"nanoclaw/internal/tools"
)

// Advise names what a valid configuration says about tools and rules that do not
// exist: a misspelled name in guard.denied_tools denies nothing, and nobody would see it.
func Advise(c *config.Config) []config.Advice {
	a := &adviser{}
	for _, tool := range tools.Default().List() {
		a.tools = append(a.tools, tool.Name)
	}
	for _, list := range []struct {
		key   string
		names []string
	}{{"guard.denied_tools", c.Guard.DeniedTools}, {"guard.guarded_tools", c.Guard.GuardedTools}} {
		for i, name := range list.names {
			a.tool(fmt.Sprintf("%s[%d]", list.key, i), name)
		}
	}
	for i, rule := range c.Guard.Rules {
		a.tool(fmt.Sprintf("guard.rules[%d].tool", i), rule.Tool)
	}
	for i, profile := range c.Agents {
		for j, name := range profile.Tools {
			a.tool(fmt.Sprintf("agents[%d].tools[%d]", i, j), name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Tools)) {
		a.tool("tools."+name, name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Tools)) {
		a.preset("tools."+name+".preset", name, c.Tools[name].Preset)
	}
	for i, profile := range c.Agents {
		for _, name := range slices.Sorted(maps.Keys(profile.Presets)) {
			a.preset(fmt.Sprintf("agents[%d].presets.%s", i, name), name, profile.Presets[name])
		}
	}
	for _, limits := range []struct {
		key    string
		byName map[string]int
	}{{"tool_limits.per_run", c.ToolLimits.PerRun}, {"tool_limits.per_conversation", c.ToolLimits.PerConversation}} {
		for _, name := range slices.Sorted(maps.Keys(limits.byName)) {
			a.tool(limits.key+"."+name, name)
		}
	}
	a.disabled(c.Guard.DisabledRules)
	return a.found
}

type adviser struct {
	tools []string
	found []config.Advice
}

// tool looks for a tool. Globs may be meant for what comes later, and the tools of
// MCP servers are known once these are connected.
func (a *adviser) tool(key, name string) {
	if strings.ContainsAny(name, "*?[{") || strings.HasPrefix(name, "mcp__") || slices.Contains(a.tools, name) {
		return
	}
	a.unknown(key, fmt.Sprintf("there is no tool %q, so this has no effect", name), name, a.tools)
}

// preset refuses arguments that the tool does not take.
func (a *adviser) preset(key, name string, preset map[string]any) {
	tool, known := tools.Default().Get(name)
	if !known || tool.Schema == nil || len(preset) == 0 {
		return
	}
	schema := *tool.Schema
	schema.Required = nil // the model gives the others
	text, err := json.Marshal(preset)
	var args map[string]any
	if err == nil {
		err = json.Unmarshal(text, &args) // numbers as a model sends them
	}
	if err == nil {
		for _, injected := range tool.Injected {
			delete(args, injected.Property)
		}
		err = tools.Validate(&schema, args)
	}
	if err != nil {
		a.found = append(a.found, config.Advice{Key: key, Message: "is not what " + name + " takes: " + err.Error(),
			Refuse: true})
	}
}

func (a *adviser) disabled(entries []string) {
	if len(entries) == 0 {
		return // the rules need not be read then
	}
	ids := guard.RuleIDs()
	for i, entry := range entries {
		if !slices.ContainsFunc(ids, func(id string) bool { return guard.Disables(entry, id) }) {
			a.unknown(fmt.Sprintf("guard.disabled_rules[%d]", i),
				fmt.Sprintf("there is no built-in rule %q, so nothing is switched off", entry), entry, withGroups(ids))
		}
	}
}

// withGroups are ids of rules and those of the groups that they belong to.
func withGroups(ids []string) []string {
	all := slices.Clone(ids)
	for _, id := range ids {
		for at := strings.LastIndexByte(id, '.'); at > 0; at = strings.LastIndexByte(id, '.') {
			id = id[:at]
			all = append(all, id)
		}
	}
	return all
}

func (a *adviser) unknown(key, message, name string, names []string) {
	if near := nearest.Name(name, names); near != "" {
		message += ": did you mean " + near + "?"
	}
	a.found = append(a.found, config.Advice{Key: key, Message: message})
}
