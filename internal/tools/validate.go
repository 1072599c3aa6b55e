package tools

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
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

// validator checks values against one schema. It knows the keywords that
// generateSchema writes and reports all problems; a schema from elsewhere that
// uses more of JSON Schema is checked by jsonschema-go as well, which stops at
// the first one.
type validator struct {
	schema   *jsonschema.Schema
	patterns map[string]*regexp.Regexp
	full     *jsonschema.Resolved // nil: our keywords are all there are
}

// newValidator readies a schema. A pattern that does not compile and a reference
// that does not resolve are left to the server that the schema came from.
func newValidator(schema *jsonschema.Schema) *validator {
	v := &validator{schema: schema, patterns: map[string]*regexp.Regexp{}}
	if v.survey(schema) {
		v.full, _ = schema.CloneSchemas().Resolve(nil) // nil: it cannot be checked here
	}
	return v
}

func (v *validator) validate(args map[string]any) error {
	fillDefaults(v.schema, args)
	problems, more := v.check(args)
	switch len(problems) {
	case 0:
		return nil
	case 1:
		return Errorf(CodeInvalidArguments, "invalid arguments: %s", problems[0])
	}
	rest := ""
	if more > 0 {
		rest = fmt.Sprintf("\n- and %d more", more)
	}
	return Errorf(CodeInvalidArguments, "invalid arguments:\n- %s%s", strings.Join(problems, "\n- "), rest)
}

// check lists what is wrong with a value, or nothing, and says how many problems
// are not in the list.
func (v *validator) check(value any) (problems []string, more int) {
	w := walker{validator: v}
	w.walk(v.schema, "", value)
	if len(w.problems) == 0 && v.full != nil {
		if err := v.full.Validate(plainNumbers(value)); err != nil {
			w.problems = append(w.problems, strings.TrimPrefix(err.Error(), "validating root: "))
		}
	}
	return w.problems, w.more
}

// survey compiles the patterns of a schema and reports whether it uses keywords
// that walk does not know.
func (v *validator) survey(s *jsonschema.Schema) (beyond bool) {
	if s == nil {
		return false
	}
	if s.Pattern != "" {
		if compiled, err := regexp.Compile(s.Pattern); err == nil {
			v.patterns[s.Pattern] = compiled
		}
	}
	beyond = usesMore(s)
	for _, property := range s.Properties {
		beyond = v.survey(property) || beyond
	}
	beyond = v.survey(s.Items) || beyond
	if !refusesAll(s.AdditionalProperties) {
		beyond = v.survey(s.AdditionalProperties) || beyond
	}
	return beyond
}

func usesMore(s *jsonschema.Schema) bool {
	return s.Ref != "" || s.DynamicRef != "" || s.Const != nil || s.MultipleOf != nil ||
		len(s.PrefixItems) > 0 || len(s.ItemsArray) > 0 || s.UniqueItems || s.Contains != nil ||
		s.UnevaluatedItems != nil ||
		s.MinProperties != nil || s.MaxProperties != nil || len(s.DependentRequired) > 0 ||
		len(s.DependencyStrings) > 0 ||
		len(s.DependencySchemas) > 0 || len(s.PatternProperties) > 0 || s.PropertyNames != nil ||
		s.UnevaluatedProperties != nil ||
		len(s.AllOf) > 0 || len(s.AnyOf) > 0 || len(s.OneOf) > 0 || s.Not != nil || s.If != nil ||
		len(s.DependentSchemas) > 0
}

// refusesAll recognises the schema false, which jsonschema-go writes {"not":{}}.
func refusesAll(s *jsonschema.Schema) bool {
	return s != nil && s.Not != nil && usesMore(s) && s.Type == "" && len(s.Types) == 0 && !usesMore(s.Not) &&
		s.Not.Type == ""
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

// sortedKeys makes the order of messages stable.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
