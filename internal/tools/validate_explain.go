package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	validation "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// explainer turns validation errors into problems in words for a model.
type explainer struct {
	schema   *jsonschema.Schema
	value    any
	problems []problem
}

type problem struct {
	location []string // of the value: names and indexes
	text     string
}

var english = message.NewPrinter(language.English)

// explain gathers the problems of an error and of all its causes.
func (e *explainer) explain(err *validation.ValidationError) {
	schema, value, _ := e.at(err.InstanceLocation)
	each := func(names []string, text func(name string) string) {
		for _, name := range names {
			location := append(slices.Clone(err.InstanceLocation), name)
			e.problems = append(e.problems, problem{location, text(name)})
		}
	}
	switch k := err.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range err.Causes {
			e.explain(cause)
		}
	case *kind.AnyOf, *kind.OneOf:
		e.problems = append(e.problems, problem{err.InstanceLocation, e.alternatives(err)})
	case *kind.Required:
		each(k.Missing, func(name string) string { return "is required" + about(schema, name) })
	case *kind.AdditionalProperties:
		each(k.Properties, func(string) string { return "is not an argument here; " + allowed(schema) })
	default:
		text := "is not valid: " + k.LocalizedString(english)
		if path := k.KeywordPath(); len(path) > 0 && phrases[path[0]] != nil {
			text = phrases[path[0]](k, value)
		}
		e.problems = append(e.problems, problem{err.InstanceLocation, text})
	}
}

// phrases are the words for the keywords that most schemas use.
var phrases = map[string]func(k validation.ErrorKind, value any) string{
	"type": func(k validation.ErrorKind, value any) string {
		return fmt.Sprintf("must be %s, not %s", typeNames(k.(*kind.Type).Want), describe(value))
	},
	"enum": func(k validation.ErrorKind, value any) string {
		return fmt.Sprintf("must be one of %s, not %s", list(k.(*kind.Enum).Want), quoted(value))
	},
	"pattern": func(k validation.ErrorKind, value any) string {
		return fmt.Sprintf("must match the regular expression %s, %s does not", k.(*kind.Pattern).Want, quoted(value))
	},
	"minLength": func(k validation.ErrorKind, _ any) string {
		length := k.(*kind.MinLength)
		if length.Got == 0 {
			return "must not be empty"
		}
		return fmt.Sprintf("must have at least %d characters, it has %d", length.Want, length.Got)
	},
	"maxLength": func(k validation.ErrorKind, _ any) string {
		length := k.(*kind.MaxLength)
		return fmt.Sprintf("must have at most %d characters, it has %d", length.Want, length.Got)
	},
	"minItems": func(k validation.ErrorKind, _ any) string {
		items := k.(*kind.MinItems)
		return fmt.Sprintf("must have at least %s, it has %d", counted(items.Want), items.Got)
	},
	"maxItems": func(k validation.ErrorKind, _ any) string {
		items := k.(*kind.MaxItems)
		return fmt.Sprintf("must have at most %s, it has %d", counted(items.Want), items.Got)
	},
	"minimum": func(k validation.ErrorKind, value any) string {
		return fmt.Sprintf("must be at least %s, not %v", plain(k.(*kind.Minimum).Want), value)
	},
	"maximum": func(k validation.ErrorKind, value any) string {
		return fmt.Sprintf("must be at most %s, not %v", plain(k.(*kind.Maximum).Want), value)
	},
	"exclusiveMinimum": func(k validation.ErrorKind, value any) string {
		return fmt.Sprintf("must be greater than %s, not %v", plain(k.(*kind.ExclusiveMinimum).Want), value)
	},
	"exclusiveMaximum": func(k validation.ErrorKind, value any) string {
		return fmt.Sprintf("must be less than %s, not %v", plain(k.(*kind.ExclusiveMaximum).Want), value)
	},
}

// alternatives is what keeps a value from each of several forms.
func (e *explainer) alternatives(err *validation.ValidationError) string {
	var forms []string
	for _, cause := range err.Causes {
		form := explainer{schema: e.schema, value: e.value}
		form.explain(cause)
		if len(form.problems) > 0 && len(forms) < maxProblems {
			forms = append(forms, form.sorted()[0])
		}
	}
	if len(forms) == 0 { // it matches several
		return "is not valid: " + err.ErrorKind.LocalizedString(english)
	}
	return "matches none of the allowed forms: " + strings.Join(forms, "; or ")
}

// sorted is the problems in the order of their locations.
func (e *explainer) sorted() []string {
	slices.SortStableFunc(e.problems, func(a, b problem) int {
		return cmp.Or(slices.CompareFunc(a.location, b.location, compareTokens), cmp.Compare(a.text, b.text))
	})
	texts := make([]string, len(e.problems))
	for i, p := range e.problems {
		subject := "the arguments"
		if _, _, path := e.at(p.location); path != "" {
			subject = fmt.Sprintf("%q", path)
		}
		texts[i] = subject + " " + p.text
	}
	return texts
}

func compareTokens(a, b string) int {
	i, errA := strconv.Atoi(a)
	j, errB := strconv.Atoi(b)
	if errA == nil && errB == nil {
		return cmp.Compare(i, j)
	}
	return cmp.Compare(a, b)
}

// at is the schema (nil where it is not known) and the value at a location, and
// the location as text.
func (e *explainer) at(location []string) (schema *jsonschema.Schema, value any, path string) {
	schema, value = e.schema, e.value
	for _, token := range location {
		if schema == nil {
			schema = &jsonschema.Schema{}
		}
		switch container := value.(type) {
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(container) {
				return nil, nil, path
			}
			schema, value, path = schema.Items, container[i], path+"["+token+"]"
		case map[string]any:
			schema, value = schema.Properties[token], container[token]
			path = strings.TrimPrefix(path+"."+token, ".")
		}
	}
	return schema, value, path
}

// about describes a missing argument: its type and what it is for.
func about(parent *jsonschema.Schema, name string) string {
	if parent == nil || parent.Properties[name] == nil {
		return ""
	}
	s := parent.Properties[name]
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
	if s == nil || len(s.Properties) == 0 {
		return "none are accepted"
	}
	names := s.PropertyOrder
	if len(names) != len(s.Properties) {
		names = sortedKeys(s.Properties)
	}
	return `allowed are "` + strings.Join(names, `", "`) + `"`
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

var articles = map[string]string{
	"null": "null", "boolean": "true or false", "string": "a string", "array": "a list",
	"object": "an object", "number": "a number", "integer": "an integer",
}

func typeNames(types []string) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = articles[t]
	}
	return strings.Join(names, " or ")
}

// describe says what a value of the wrong type is.
func describe(value any) string {
	switch value.(type) {
	case []any:
		return articles["array"]
	case map[string]any:
		return articles["object"]
	case string:
		return articles["string"] + " (" + quoted(value) + ")"
	}
	return quoted(value)
}

// plain writes a bound without an exponent where there need be none.
func plain(bound *big.Rat) string {
	number, _ := bound.Float64()
	return strconv.FormatFloat(number, 'g', -1, 64)
}

func counted(n int) string {
	if n == 1 {
		return "1 item"
	}
	return fmt.Sprintf("%d items", n)
}
