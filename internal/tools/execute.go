package tools

import (
	"context"
	"fmt"
	"strings"
)

// Execute runs a tool by its name with arguments that the program itself made, and
// answers its result. Injected arguments are filled from the call. It validates and nothing else:
// calls that a model makes go through package executor.
func (r *Registry) Execute(ctx context.Context, name string, call Call, args map[string]any) Result {
	tool, found := r.Get(name)
	if !found {
		return Failed(Errorf(CodeUnknownTool, "there is no tool named %q", name))
	}
	own := make(map[string]any, len(args))
	for property, value := range args {
		normal, err := Normalize(value)
		if err != nil {
			return Failed(Errorf(CodeInvalidArguments, "the argument %q does not encode as JSON: %v", property, err))
		}
		own[property] = normal
	}
	if err := tool.Validate(own); err != nil {
		return Failed(err)
	}
	for _, injection := range tool.Injected {
		if value := call.ContextValue(injection.Value); value != nil {
			own[injection.Property] = value
		}
	}
	encoded, err := Canonical(own)
	if err != nil {
		return Failed(fmt.Errorf("execute %s: %w", name, err))
	}
	data, err := tool.Run(ctx, call.complete(name), encoded)
	if err != nil {
		return Failed(err)
	}
	return OK(data)
}

// Injects says whether a property of the arguments is filled by the executor.
// Case does not count, since encoding/json does not count it either.
func (t *Tool) Injects(property string) bool {
	for _, injection := range t.Injected {
		if strings.EqualFold(injection.Property, property) {
			return true
		}
	}
	return false
}

// complete fills what a tool relies on to be there.
func (c Call) complete(name string) Call {
	c.Tool = name
	if c.Progress == nil {
		c.Progress = func(string, float64) {}
	}
	if c.Pause == nil {
		c.Pause = func() func() { return func() {} }
	}
	return c
}
