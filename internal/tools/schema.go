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
//	access:"read"                    what a call does with the file that the argument names (see fileArgument)
//
// A field is required unless its json tag says omitempty or omitzero or it has a
// default. No value may be null and no property may be unknown.
func generateSchema(t reflect.Type) (*jsonschema.Schema, argumentRoles, error) {
	if t.Kind() != reflect.Struct {
		return nil, argumentRoles{}, fmt.Errorf("%v is not a struct", t)
	}
	schema, err := jsonschema.ForType(t, nil)
	if err != nil {
		return nil, argumentRoles{}, err
	}
	roles, err := refine(schema, t)
	if err != nil {
		return nil, argumentRoles{}, err
	}
	if schema.Properties == nil {
		schema.Properties = map[string]*jsonschema.Schema{}
	}
	for _, file := range roles.files {
		if file.BelowIf != "" && (schema.Properties[file.BelowIf] == nil ||
			schema.Properties[file.BelowIf].Type != "boolean") {
			return nil, argumentRoles{}, fmt.Errorf("access of %q: there is no boolean argument %q", file.Property,
				file.BelowIf)
		}
	}
	return schema, roles, nil
}

// argumentRoles are what an argument struct says beside its schema.
type argumentRoles struct {
	injected []Injection
	files    []FileArgument
}

// refine applies our own tags to the schema that was inferred from a struct, and
// takes the injected properties out of it.
func refine(schema *jsonschema.Schema, t reflect.Type) (argumentRoles, error) {
	var roles argumentRoles
	for _, field := range reflect.VisibleFields(t) {
		name, inSchema := propertyName(field)
		if !inSchema {
			continue
		}
		property := schema.Properties[name]
		if property == nil {
			return roles, fmt.Errorf("the field %s has no property %q in the schema", field.Name, name)
		}
		if tag, ok := field.Tag.Lookup("inject"); ok {
			injection, err := parseInjection(name, tag)
			if err != nil {
				return roles, fmt.Errorf("the field %s: %w", field.Name, err)
			}
			roles.injected = append(roles.injected, injection)
			removeProperty(schema, name)
			continue
		}
		file, err := fileArgument(name, field)
		if err != nil {
			return roles, fmt.Errorf("the field %s: %w", field.Name, err)
		}
		if file != nil {
			roles.files = append(roles.files, *file)
		}
		dropNull(property)
		optional, err := applyTags(property, field)
		if err != nil {
			return roles, fmt.Errorf("the field %s: %w", field.Name, err)
		}
		if optional {
			schema.Required = slices.DeleteFunc(schema.Required, func(r string) bool { return r == name })
		}
		if err := refineNested(property, field.Type); err != nil {
			return roles, fmt.Errorf("the field %s: %w", field.Name, err)
		}
	}
	return roles, nil
}

// refineNested does the same for structs inside lists, maps and other structs,
// where nothing can be injected and the guard looks for no paths.
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
		roles, err := refine(schema, t)
		switch {
		case err != nil:
			return err
		case len(roles.injected) > 0:
			return fmt.Errorf("%q cannot be injected into a nested struct", roles.injected[0].Property)
		case len(roles.files) > 0:
			return fmt.Errorf(
				"the path %q stands in a nested struct: make it an argument of its own, or a list of texts",
				roles.files[0].Property)
		}
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
	if !slices.Contains(contextValues, value) {
		return Injection{}, fmt.Errorf("inject:%q is unknown: the context values are %s", tag,
			strings.Join(contextValues, ", "))
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
