package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// applyTags adds what a field's own tags say to its schema, and reports whether
// they make the argument optional. A tag that does not fit the field is an error.
func applyTags(schema *jsonschema.Schema, field reflect.StructField) (optional bool, err error) {
	steps := []struct {
		tag   string
		types string // of the schema that the tag fits
		apply func(value string) error
	}{
		{"enum", "string integer number array", func(v string) error { return applyEnum(schema, v) }},
		{"minimum", "integer number", func(v string) error { return parseFloat(v, &schema.Minimum) }},
		{"maximum", "integer number", func(v string) error { return parseFloat(v, &schema.Maximum) }},
		{"minLength", "string", func(v string) error { return parseCount(v, &schema.MinLength) }},
		{"maxLength", "string", func(v string) error { return parseCount(v, &schema.MaxLength) }},
		{"minItems", "array", func(v string) error { return parseCount(v, &schema.MinItems) }},
		{"maxItems", "array", func(v string) error { return parseCount(v, &schema.MaxItems) }},
		{"pattern", "string", func(v string) error {
			schema.Pattern = v
			_, err := regexp.Compile(v)
			return err
		}},
		{"default", "string integer number boolean array object", func(v string) error {
			optional = true
			return applyDefault(schema, v)
		}},
	}
	for _, step := range steps {
		value, ok := field.Tag.Lookup(step.tag)
		if !ok {
			continue
		}
		if !strings.Contains(" "+step.types+" ", " "+schema.Type+" ") {
			return false, fmt.Errorf("the tag %s:%q does not fit the type %q", step.tag, value, schema.Type)
		}
		if err := step.apply(value); err != nil {
			return false, fmt.Errorf("the tag %s:%q: %w", step.tag, value, err)
		}
	}
	return optional, nil
}

// applyEnum sets the allowed values, those of the items where schema is a list.
func applyEnum(schema *jsonschema.Schema, tag string) error {
	if schema.Type == "array" {
		if schema.Items == nil {
			return fmt.Errorf("the list has no item type")
		}
		schema = schema.Items
	}
	for _, text := range strings.Split(tag, ",") {
		value, err := parseScalar(schema.Type, strings.TrimSpace(text))
		if err != nil {
			return err
		}
		schema.Enum = append(schema.Enum, value)
	}
	return nil
}

// applyDefault sets the default: the text itself for a string, JSON for all else.
// It must be valid for the schema.
func applyDefault(schema *jsonschema.Schema, tag string) error {
	encoded := []byte(tag)
	if schema.Type == "string" {
		encoded, _ = json.Marshal(tag) // a string always encodes
	}
	if !json.Valid(encoded) {
		return fmt.Errorf("is not JSON")
	}
	schema.Default = encoded
	if _, err := schema.CloneSchemas().Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}); err != nil {
		return fmt.Errorf("is not valid itself: %w", err)
	}
	return nil
}

func parseScalar(kind, text string) (any, error) {
	switch kind {
	case "string":
		return text, nil
	case "integer", "number":
		return strconv.ParseFloat(text, 64)
	}
	return nil, fmt.Errorf("values of type %q cannot be listed", kind)
}

func parseFloat(text string, into **float64) error {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return err
	}
	*into = &value
	return nil
}

func parseCount(text string, into **int) error {
	value, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	if value < 0 {
		return fmt.Errorf("is negative")
	}
	*into = &value
	return nil
}
