package tools

import (
	"encoding/json"
	"fmt"

	"nanoclaw/internal/jsontree"
)

// Canonical is the one JSON text that all equal arguments share: keys sorted,
// numbers in one form (1, 1.0 and 10e-1 are 1), no spaces, nothing escaped but
// what must be. Keys and hashes are made of it, and tools are run with it. A
// value that JSON does not have (NaN, a function) is an error.
func Canonical(args map[string]any) ([]byte, error) {
	out, err := appendCanonical(nil, args)
	if err != nil {
		return nil, fmt.Errorf("write canonical arguments: %w", err)
	}
	return out, nil
}

// Normalize turns any Go value into what ParseArguments would make of its JSON:
// map[string]any, []any, string, json.Number, bool, nil.
func Normalize(value any) (any, error) {
	switch value.(type) {
	case nil, bool, string, json.Number:
		return value, nil
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return decodeJSON(encoded)
}

func appendCanonical(out []byte, value any) ([]byte, error) {
	var err error
	switch value := value.(type) {
	case nil:
		return append(out, "null"...), nil
	case bool:
		if value {
			return append(out, "true"...), nil
		}
		return append(out, "false"...), nil
	case string:
		return jsontree.AppendString(out, value), nil
	case json.Number:
		return parseDecimal(string(value)).append(out), nil
	case []any:
		out = append(out, '[')
		for i, item := range value {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendCanonical(out, item); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	case map[string]any:
		out = append(out, '{')
		for i, name := range sortedKeys(value) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(jsontree.AppendString(out, name), ':')
			if out, err = appendCanonical(out, value[name]); err != nil {
				return nil, fmt.Errorf("%q: %w", name, err)
			}
		}
		return append(out, '}'), nil
	}
	normal, err := Normalize(value)
	if err != nil {
		return nil, err
	}
	return appendCanonical(out, normal)
}

// decodeJSON decodes exactly one JSON value, with numbers as json.Number.
func decodeJSON(encoded []byte) (any, error) {
	tree, err := jsontree.Parse(encoded)
	if err != nil {
		return nil, err
	}
	return tree.Value(), nil
}
