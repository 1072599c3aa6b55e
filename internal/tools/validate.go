package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	validation "github.com/santhosh-tekuri/jsonschema/v6"
)

// Validate checks arguments against the tool's schema, after it filled in the
// defaults and dropped a null where an optional argument stands. Injected
// properties must not be in args yet. The error is an *Error that names every
// problem at once, in words that tell the model what to change.
//
// args is as ParseArguments returns it and is changed in place.
func (t *Tool) Validate(args map[string]any) error {
	return t.validator.validate(args)
}

// Validate is Tool.Validate for a schema that belongs to no tool.
func Validate(schema *jsonschema.Schema, args map[string]any) error {
	return newValidator(schema).validate(args)
}

// maxProblems bounds the error of a list in which everything is wrong.
const maxProblems = 20

// validator checks values against one schema, which is compiled at first use.
type validator struct {
	schema   *jsonschema.Schema
	compiled func() *validation.Schema // nil: it cannot be checked here
}

func newValidator(schema *jsonschema.Schema) *validator {
	return &validator{schema: schema, compiled: sync.OnceValue(func() *validation.Schema { return compile(schema) })}
}

// compile returns nil for a schema with a reference that does not resolve: such a
// schema came from another server, which checks the arguments itself.
func compile(schema *jsonschema.Schema) *validation.Schema {
	encoded, err := json.Marshal(schema)
	if err != nil {
		return nil
	}
	document, err := validation.UnmarshalJSON(bytes.NewReader(encoded))
	if err != nil {
		return nil
	}
	const url = "arguments.json"
	compiler := validation.NewCompiler()
	compiler.UseLoader(validation.SchemeURLLoader{}) // loads nothing
	compiler.UseRegexpEngine(compilePattern)
	if err := compiler.AddResource(url, document); err != nil {
		return nil
	}
	compiled, err := compiler.Compile(url)
	if err != nil {
		return nil
	}
	return compiled
}

// compilePattern lets a pattern that is not RE2 match everything.
func compilePattern(text string) (validation.Regexp, error) {
	if pattern, err := regexp.Compile(text); err == nil {
		return pattern, nil
	}
	return regexp.MustCompile(""), nil
}

func (v *validator) validate(args map[string]any) error {
	fillDefaults(v.schema, args)
	problems := v.check(args)
	switch len(problems) {
	case 0:
		return nil
	case 1:
		return Errorf(CodeInvalidArguments, "invalid arguments: %s", problems[0])
	}
	rest := ""
	if more := len(problems) - maxProblems; more > 0 {
		problems, rest = problems[:maxProblems], fmt.Sprintf("\n- and %d more", more)
	}
	return Errorf(CodeInvalidArguments, "invalid arguments:\n- %s%s", strings.Join(problems, "\n- "), rest)
}

// check lists the problems of a value in a stable order.
func (v *validator) check(value any) []string {
	compiled := v.compiled()
	if compiled == nil {
		return nil
	}
	err := compiled.Validate(value)
	if err == nil {
		return nil
	}
	var invalid *validation.ValidationError
	if !errors.As(err, &invalid) {
		return []string{err.Error()}
	}
	e := explainer{schema: v.schema, value: value}
	e.explain(invalid)
	return e.sorted()
}

// fillDefaults adds what the model left out. A null for an optional argument that
// does not take one counts as left out.
func fillDefaults(s *jsonschema.Schema, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, property := range s.Properties {
			given, present := value[name]
			if present && given == nil && !slices.Contains(s.Required, name) && !acceptsNull(property) {
				delete(value, name)
				present = false
			}
			if present {
				fillDefaults(property, given)
				continue
			}
			if len(property.Default) > 0 {
				if preset, err := decodeJSON(property.Default); err == nil {
					value[name] = preset
				}
			}
		}
	case []any:
		if s.Items != nil {
			for _, item := range value {
				fillDefaults(s.Items, item)
			}
		}
	}
}

func acceptsNull(s *jsonschema.Schema) bool {
	types := schemaTypes(s)
	return len(types) == 0 || slices.Contains(types, "null")
}

func schemaTypes(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

// refusesAll recognises the schema false, which jsonschema-go reads as {"not":{}}.
func refusesAll(s *jsonschema.Schema) bool {
	if s == nil || s.Not == nil {
		return false
	}
	encoded, err := json.Marshal(s)
	return err == nil && string(encoded) == "false"
}

// sortedKeys makes the order of messages stable.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
