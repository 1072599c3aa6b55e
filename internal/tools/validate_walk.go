package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// walker goes through a value and its schema side by side and gathers problems.
type walker struct {
	*validator
	problems []string
	more     int // problems beyond those that are kept
}

func (w *walker) report(path, format string, args ...any) {
	if len(w.problems) == maxProblems {
		w.more++
		return
	}
	subject := "the arguments"
	if path != "" {
		subject = fmt.Sprintf("%q", path)
	}
	w.problems = append(w.problems, subject+" "+fmt.Sprintf(format, args...))
}

func (w *walker) walk(s *jsonschema.Schema, path string, value any) {
	if s == nil {
		return
	}
	if types := schemaTypes(s); len(types) > 0 && !slices.ContainsFunc(types,
		func(t string) bool { return hasType(value, t) }) {
		w.report(path, "must be %s, not %s", typeNames(types), describe(value))
		return
	}
	if s.Enum != nil && !inEnum(s.Enum, value) {
		w.report(path, "must be one of %s, not %s", list(s.Enum), quoted(value))
		return
	}
	switch value := value.(type) {
	case string:
		w.walkString(s, path, value)
	case map[string]any:
		w.walkObject(s, path, value)
	case []any:
		w.walkList(s, path, value)
	default:
		if number, ok := asFloat(value); ok {
			w.walkNumber(s, path, number, value)
		}
	}
}

func (w *walker) walkString(s *jsonschema.Schema, path, value string) {
	length := utf8.RuneCountInString(value)
	if s.MinLength != nil && length < *s.MinLength {
		if length == 0 {
			w.report(path, "must not be empty")
		} else {
			w.report(path, "must have at least %d characters, it has %d", *s.MinLength, length)
		}
	}
	if s.MaxLength != nil && length > *s.MaxLength {
		w.report(path, "must have at most %d characters, it has %d", *s.MaxLength, length)
	}
	if pattern := w.patterns[s.Pattern]; pattern != nil && !pattern.MatchString(value) {
		w.report(path, "must match the regular expression %s, %s does not", s.Pattern, quoted(value))
	}
}

func (w *walker) walkNumber(s *jsonschema.Schema, path string, number float64, value any) {
	switch {
	case s.Minimum != nil && number < *s.Minimum:
		w.report(path, "must be at least %s, not %s", plain(*s.Minimum), plain(value))
	case s.Maximum != nil && number > *s.Maximum:
		w.report(path, "must be at most %s, not %s", plain(*s.Maximum), plain(value))
	case s.ExclusiveMinimum != nil && number <= *s.ExclusiveMinimum:
		w.report(path, "must be greater than %s, not %s", plain(*s.ExclusiveMinimum), plain(value))
	case s.ExclusiveMaximum != nil && number >= *s.ExclusiveMaximum:
		w.report(path, "must be less than %s, not %s", plain(*s.ExclusiveMaximum), plain(value))
	}
}

func (w *walker) walkList(s *jsonschema.Schema, path string, items []any) {
	if s.MinItems != nil && len(items) < *s.MinItems {
		w.report(path, "must have at least %s, it has %d", counted(*s.MinItems), len(items))
	}
	if s.MaxItems != nil && len(items) > *s.MaxItems {
		w.report(path, "must have at most %s, it has %d", counted(*s.MaxItems), len(items))
	}
	for i, item := range items {
		w.walk(s.Items, fmt.Sprintf("%s[%d]", path, i), item)
	}
}

func (w *walker) walkObject(s *jsonschema.Schema, path string, object map[string]any) {
	for _, name := range s.Required {
		if _, present := object[name]; !present {
			w.report(join(path, name), "is required%s", about(s.Properties[name]))
		}
	}
	for _, name := range sortedKeys(object) {
		if property, known := s.Properties[name]; known {
			w.walk(property, join(path, name), object[name])
			continue
		}
		switch {
		case len(s.PatternProperties) > 0: // left to the full check
		case refusesAll(s.AdditionalProperties):
			w.report(join(path, name), "is not an argument here; %s", allowed(s))
		default:
			w.walk(s.AdditionalProperties, join(path, name), object[name])
		}
	}
}

// about describes a missing argument: its type and what it is for.
func about(s *jsonschema.Schema) string {
	if s == nil {
		return ""
	}
	parts := []string{}
	if types := schemaTypes(s); len(types) > 0 {
		parts = append(parts, typeNames(types))
	}
	if s.Enum != nil {
		parts = append(parts, "one of "+list(s.Enum))
	}
	if s.Description != "" {
		parts = append(parts, s.Description)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ": ") + ")"
}

func allowed(s *jsonschema.Schema) string {
	if len(s.Properties) == 0 {
		return "none are taken"
	}
	names := s.PropertyOrder
	if len(names) != len(s.Properties) {
		names = sortedKeys(s.Properties)
	}
	return `allowed are "` + strings.Join(names, `", "`) + `"`
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func inEnum(enum []any, value any) bool {
	return slices.ContainsFunc(enum, func(allowed any) bool {
		a, isNumber := asFloat(allowed)
		b, isNumberToo := asFloat(value)
		if isNumber || isNumberToo {
			return isNumber && isNumberToo && a == b
		}
		return jsonschema.Equal(allowed, value)
	})
}

func list(values []any) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = quoted(value)
	}
	return strings.Join(texts, ", ")
}

// quoted shows a value as JSON, shortened: it may be a whole file.
func quoted(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return "a value"
	}
	const most = 60
	if runes := []rune(string(encoded)); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(encoded)
}
