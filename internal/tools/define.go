package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
)

// validName is what every provider takes as the name of a function.
var validName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// Define makes a tool of a Go function. A is the struct of its arguments: its
// JSON Schema is generated from the fields and their tags (generateSchema
// lists them). R is what the function returns on success
// and must encode as JSON.
//
// A mistake in the declaration is a mistake in the program: Define panics on a
// bad name, an empty doc, a nil function, a missing effect, a path argument without
// its access, and tags that make no sense.
func Define[A, R any](name, doc string, fn func(ctx context.Context, call Call,
	args A) (R, error), options ...Option) *Tool {
	if fn == nil {
		panic(fmt.Sprintf("tools: %q is defined with a nil function", name))
	}
	argsType := reflect.TypeFor[A]()
	schema, roles, err := generateSchema(argsType)
	if err != nil {
		panic(fmt.Sprintf("tools: arguments of %q: %v", name, err))
	}
	untyped := hasUntyped(argsType)
	d := definition{argsType: argsType, untyped: untyped, tool: &Tool{
		Name:        name,
		Description: doc,
		Schema:      schema,
		Injected:    roles.injected,
		Files:       roles.files,
		Run: func(ctx context.Context, call Call, raw json.RawMessage) (any, error) {
			args, err := decodeArguments[A](raw, untyped)
			if err != nil {
				return nil, err
			}
			return fn(ctx, call, args)
		},
	}}
	for _, option := range options {
		option(&d)
	}
	if err := d.tool.prepare(); err != nil {
		panic(fmt.Sprintf("tools: %v", err))
	}
	return d.tool
}

// decodeArguments fills the argument struct. Numbers of fields without a type
// (any) keep their precision.
func decodeArguments[A any](raw json.RawMessage, untyped bool) (A, error) {
	var args A
	var err error
	if untyped {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		err = decoder.Decode(&args)
	} else {
		err = json.Unmarshal(raw, &args)
	}
	if err != nil {
		var mismatch *json.UnmarshalTypeError
		if errors.As(err, &mismatch) {
			return args, Errorf(CodeInvalidArguments, "invalid arguments: %q is out of range: %s", mismatch.Field,
				mismatch.Value)
		}
		return args, Errorf(CodeInvalidArguments, "invalid arguments: %v", err)
	}
	return args, nil
}

// hasUntyped says whether a type has fields that take any value. Argument
// structs have no cycles: there is no schema of those.
func hasUntyped(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return hasUntyped(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if field := t.Field(i); (field.IsExported() || field.Anonymous) && hasUntyped(field.Type) {
				return true
			}
		}
	}
	return false
}

// prepare checks the tool and readies what is computed once: the schema as JSON
// and the validator. It is called before the tool is shared.
func (t *Tool) prepare() error {
	switch {
	case !validName.MatchString(t.Name):
		return fmt.Errorf("the tool name %q is not valid: use 1 to 64 letters, digits, _ and -", t.Name)
	case t.Description == "":
		return fmt.Errorf("the tool %q has no description: the model needs one", t.Name)
	case t.Run == nil:
		return fmt.Errorf("the tool %q has no Run function", t.Name)
	case t.Effect == "":
		return fmt.Errorf(
			"the tool %q has no effect: add tools.Effect(tools.Pure | Reads | External | Volatile | Writes | Resumes)",
			t.Name)
	case !t.Effect.Valid():
		return fmt.Errorf("the tool %q has the unknown effect %q", t.Name, t.Effect)
	case t.Stamp != nil && t.Effect != Reads:
		return fmt.Errorf("the tool %q has a stamp but its effect is %q: only a tool that reads is stamped", t.Name,
			t.Effect)
	}
	if t.prepared {
		return nil
	}
	if t.Schema == nil {
		t.Schema = emptyObject()
	}
	parameters, err := encodeSchema(t.Schema)
	if err != nil {
		return fmt.Errorf("the schema of the tool %q does not encode: %w", t.Name, err)
	}
	t.parameters = parameters
	t.validator = newValidator(t.Schema)
	t.prepared = true
	return nil
}
