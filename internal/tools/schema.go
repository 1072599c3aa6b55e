package tools

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// generateSchema makes the JSON Schema of an argument struct. Beside the tags
// json and jsonschema (the description) a field may have
//
//	enum:"a,b,c"                     allowed values; of the items, where the field is a slice
//	minimum:"1" maximum:"100"        bounds of a number
//	minLength:"1" maxLength:"100"    bounds of a string, in characters
//	pattern:"^[a-z]+$"               what a string must match (RE2)
//	minItems:"1" maxItems:"5"        bounds of a list
//	default:"5"                      used when the model leaves the argument out, which makes it optional
//	inject:"project_id"              filled by the executor, invisible to the model
//	inject:"project_id,required"     the same, and the call fails where the value is missing
//
// A field is required unless its json tag says omitempty or omitzero or it has a
// default. No value may be null and no property may be unknown.
func generateSchema(t reflect.Type) (*jsonschema.Schema, []Injection, error) {
	if t.Kind() != reflect.Struct {
		return nil, nil, fmt.Errorf("%v is not a struct", t)
	}
	schema, err := jsonschema.ForType(t, nil)
	if err != nil {
		return nil, nil, err
	}
	injected, err := refine(schema, t)
	if err != nil {
		return nil, nil, err
	}
	if schema.Properties == nil {
		schema.Properties = map[string]*jsonschema.Schema{}
	}
	return schema, injected, nil
}

// refine applies our own tags to the schema that was inferred from a struct, and
// takes the injected properties out of it.
func refine(schema *jsonschema.Schema, t reflect.Type) ([]Injection, error) {
	var injected []Injection
	for _, field := range reflect.VisibleFields(t) {
		name, inSchema := propertyName(field)
		if !inSchema {
			continue
		}
		property := schema.Properties[name]
		if property == nil {
			return nil, fmt.Errorf("the field %s has no property %q in the schema", field.Name, name)
		}
		if tag, ok := field.Tag.Lookup("inject"); ok {
			injection, err := parseInjection(name, tag)
			if err != nil {
				return nil, fmt.Errorf("the field %s: %w", field.Name, err)
			}
			injected = append(injected, injection)
			removeProperty(schema, name)
			continue
		}
		dropNull(property)
		optional, err := applyTags(property, field)
		if err != nil {
			return nil, fmt.Errorf("the field %s: %w", field.Name, err)
		}
		if optional {
			schema.Required = slices.DeleteFunc(schema.Required, func(r string) bool { return r == name })
		}
		if err := refineNested(property, field.Type); err != nil {
			return nil, fmt.Errorf("the field %s: %w", field.Name, err)
		}
	}
	return injected, nil
}

// refineNested does the same for structs inside lists, maps and other structs,
// where nothing can be injected.
func refineNested(schema *jsonschema.Schema, t reflect.Type) error {
	dropNull(schema)
	switch t.Kind() {
	case reflect.Pointer:
		return refineNested(schema, t.Elem())
	case reflect.Slice, reflect.Array:
		if schema.Items != nil {
			return refineNested(schema.Items, t.Elem())
		}
	case reflect.Map:
		if schema.AdditionalProperties != nil {
			return refineNested(schema.AdditionalProperties, t.Elem())
		}
	case reflect.Struct:
		if schema.Properties == nil {
			return nil
		}
		injected, err := refine(schema, t)
		if err == nil && len(injected) > 0 {
			err = fmt.Errorf("%q cannot be injected into a nested struct", injected[0].Property)
		}
		return err
	}
	return nil
}

// propertyName is the JSON name of a field, and whether the schema has it.
func propertyName(field reflect.StructField) (string, bool) {
	if field.Anonymous || !field.IsExported() {
		return "", false
	}
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	switch name {
	case "-":
		return "", false
	case "":
		return field.Name, true
	}
	return name, true
}

func parseInjection(property, tag string) (Injection, error) {
	value, rest, hasRest := strings.Cut(tag, ",")
	if value == "" || (hasRest && rest != "required") {
		return Injection{}, fmt.Errorf(`inject:%q is not valid: write inject:"name" or inject:"name,required"`, tag)
	}
	return Injection{Property: property, Value: value, Required: hasRest}, nil
}

func removeProperty(schema *jsonschema.Schema, name string) {
	is := func(other string) bool { return other == name }
	delete(schema.Properties, name)
	schema.Required = slices.DeleteFunc(schema.Required, is)
	schema.PropertyOrder = slices.DeleteFunc(schema.PropertyOrder, is)
}

// dropNull undoes that inferred slices and pointers accept null, which invites
// the model to send it.
func dropNull(schema *jsonschema.Schema) {
	rest := slices.DeleteFunc(slices.Clone(schema.Types), func(t string) bool { return t == "null" })
	if len(schema.Types) > 0 && len(rest) == 1 {
		schema.Type, schema.Types = rest[0], nil
	}
}
