package executor

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/nearest"
	"nanoclaw/internal/tools"
)

// prepare takes one call as far as nothing outside is touched: parse, strip,
// inject, validate. A call that fails on the way is answered.
func (r *batchRun) prepare(inv tools.Invocation, batch Batch) *task {
	t := &task{inv: inv, shown: inv, began: time.Now()}
	if grant, found := batch.Granted[inv.ID]; found {
		t.grant = &grant
	}
	err := r.understand(t)
	if record, found := batch.Done[inv.ID]; found {
		t.phase, t.earlier, t.record = recorded, true, record
		return t
	}
	if err == nil && t.grant != nil && t.grant.Approved && t.grant.Hash != guard.ArgumentsHash(t.tool.Name,
		t.canonical) {
		t.grant, t.stale = nil, true // what would run is not what was approved
		err = r.understand(t)
	}
	if err != nil {
		r.fail(t, err)
	}
	return t
}

// understand finds the tool and makes the arguments that it would run with.
func (r *batchRun) understand(t *task) error {
	raw := t.inv.Arguments
	if t.grant != nil && t.grant.Approved && t.grant.Arguments != "" {
		raw = t.grant.Arguments
	}
	args, repaired, parseErr := tools.ParseArguments(raw)
	t.shown.Arguments = r.showArguments(raw, args, repaired)

	tool, err := r.permitted(t.inv.Name)
	if err != nil {
		return err
	}
	t.tool = tool
	if parseErr != nil {
		return parseErr
	}
	strip(tool, args)
	presets := r.limits.presets(tool.Name, r.env.Presets)
	if err := applyPresets(tool, args, presets); err != nil {
		return err
	}
	t.asked = t.shown
	if len(presets) > 0 {
		t.asked.Arguments = r.showArguments("", args, true)
	}
	injected, err := r.injected(tool)
	if err != nil {
		return err
	}
	if err := tool.Validate(args); err != nil {
		return explainPresets(err, tool, presets)
	}
	if err := r.refusePlaceholders(tool, args); err != nil {
		return err
	}
	maps.Copy(args, injected) // behind Validate: the schema is the model's and has no such properties
	canonical, err := tools.Canonical(args)
	if err != nil {
		return err
	}
	t.args, t.canonical = args, canonical
	t.key = keyOf(r.env.Scope, tool.Name, canonical)
	return nil
}

// permitted looks a tool up that this agent may call.
func (r *batchRun) permitted(name string) (*tools.Tool, error) {
	if own, found := r.env.Own[name]; found {
		return own, nil
	}
	tool, found := r.registry.Get(name)
	if !found {
		hint := ""
		if near := nearest.Names(name, r.names(), 3); len(near) > 0 {
			hint = fmt.Sprintf("; did you mean %s?", strings.Join(near, ", "))
		}
		return nil, tools.Errorf(tools.CodeUnknownTool, "there is no tool named %q%s", shorten(name), hint)
	}
	if r.limits.Disabled[name] {
		return nil, tools.Errorf(tools.CodeBlocked, "the tool %s is disabled by the configuration", name)
	}
	if r.env.Refuse != nil {
		if err := r.env.Refuse(name); err != nil {
			return nil, tools.Errorf(tools.CodeBlocked, "%v", err)
		}
	}
	return tool, nil
}

func (r *batchRun) names() []string {
	var names []string
	for _, tool := range r.registry.List() {
		if !r.limits.Disabled[tool.Name] && (r.env.Refuse == nil || r.env.Refuse(tool.Name) == nil) {
			names = append(names, tool.Name)
		}
	}
	return names
}

// strip drops what the model supplied for an injected property, in any case:
// the argument structs are read without regard to it.
func strip(tool *tools.Tool, args map[string]any) {
	if len(tool.Injected) > 0 {
		maps.DeleteFunc(args, func(property string, _ any) bool { return tool.Injects(property) })
	}
}

func applyPresets(tool *tools.Tool, args, presets map[string]any) error {
	for property, value := range presets {
		if tool.Injects(property) {
			continue
		}
		normal, err := tools.Normalize(value)
		if err != nil {
			return fmt.Errorf("the preset argument %q of %s does not encode as JSON: %w", property, tool.Name, err)
		}
		args[property] = normal
	}
	return nil
}

// explainPresets says which arguments are not the model's to mend.
func explainPresets(err error, tool *tools.Tool, presets map[string]any) error {
	var own *tools.Error
	if len(presets) == 0 || !errors.As(err, &own) {
		return err
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(presets)), tool.Injects)
	return tools.Errorf(own.Code, "%s\n(set by the configuration, whatever you pass: %s)", own.Message,
		strings.Join(names, ", "))
}

// injected is the context values that the tool asks for, by property.
func (r *batchRun) injected(tool *tools.Tool) (map[string]any, error) {
	if len(tool.Injected) == 0 {
		return nil, nil
	}
	values := make(map[string]any, len(tool.Injected))
	for _, injection := range tool.Injected {
		value, err := tools.Normalize(r.env.Call.ContextValue(injection.Value))
		if err != nil {
			return nil, fmt.Errorf("the context value %s does not encode as JSON: %w", injection.Value, err)
		}
		if value == nil {
			if injection.Required {
				return nil, missing(tool, injection)
			}
			continue
		}
		values[injection.Property] = value
	}
	return values, nil
}

func missing(tool *tools.Tool, injection tools.Injection) error {
	if injection.Value == "project_id" {
		return tools.Errorf(tools.CodeUnavailable,
			"%s needs a project and this conversation has none: answer without it, or ask the user to choose a project",
			tool.Name)
	}
	return tools.Errorf(tools.CodeUnavailable, "%s needs the context value %s, which is not set here", tool.Name,
		injection.Value)
}

// shorten keeps a name that a model made up from filling a message.
func shorten(name string) string {
	if runes := []rune(name); len(runes) > 80 {
		return string(runes[:80]) + "…"
	}
	return name
}
