package tools

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// hasType says whether a value has a type of JSON Schema. 5.0 is an integer.
func hasType(value any, want string) bool {
	switch want {
	case "number":
		_, ok := asFloat(value)
		return ok
	case "integer":
		return isInteger(value)
	}
	return typeOf(value) == want
}

// typeOf is the JSON Schema type of a decoded value.
func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	if _, ok := asFloat(value); ok {
		return "number"
	}
	return fmt.Sprintf("%T", value)
}

func isInteger(value any) bool {
	switch value := value.(type) {
	case json.Number:
		return parseDecimal(string(value)).isInteger()
	case float64:
		return value == float64(int64(value))
	case int, int64:
		return true
	}
	return false
}

// asFloat is a number's nearest float64. A number that is too large is ±Inf,
// which compares as it should.
func asFloat(value any) (float64, bool) {
	switch value := value.(type) {
	case json.Number:
		number, err := strconv.ParseFloat(string(value), 64)
		if err != nil && number == 0 {
			return 0, false
		}
		return number, true
	case float64:
		return value, true
	case int:
		return float64(value), true
	case int64:
		return float64(value), true
	}
	return 0, false
}

// plainNumbers copies a value with float64 in the place of json.Number, as
// jsonschema-go wants it.
func plainNumbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		number, _ := asFloat(value)
		return number
	case []any:
		copied := make([]any, len(value))
		for i, item := range value {
			copied[i] = plainNumbers(item)
		}
		return copied
	case map[string]any:
		copied := make(map[string]any, len(value))
		for name, item := range value {
			copied[name] = plainNumbers(item)
		}
		return copied
	}
	return value
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
	switch kind := typeOf(value); kind {
	case "null":
		return "null"
	case "array", "object":
		return articles[kind]
	case "boolean", "number":
		return plain(value)
	default:
		return articles[kind] + " (" + quoted(value) + ")"
	}
}

// plain writes a number or a boolean without an exponent where there need be none.
func plain(value any) string {
	if number, ok := value.(float64); ok {
		return strconv.FormatFloat(number, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}

func counted(n int) string {
	if n == 1 {
		return "1 item"
	}
	return fmt.Sprintf("%d items", n)
}
