package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// jsonFormat is JSON as huma's own, but for texts with NUL, which not every
// database keeps.
var jsonFormat = huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: unmarshalJSON}

// nulError says where a text with NUL is.
type nulError struct{ path string }

func (e *nulError) Error() string {
	return e.path + ` holds the character NUL (\u0000), which cannot be stored`
}

// unmarshalJSON bounds what is to be checked against the schema (any), which comes
// first. A NUL is left alone there: the field's own value is refused right after.
func unmarshalJSON(data []byte, v any) error {
	_, checked := v.(*any)
	if checked {
		if err := boundJSON(data); err != nil {
			return err
		}
	}
	if err := json.Unmarshal(data, v); err != nil {
		return plainJSONError(err)
	}
	if checked || !bytes.Contains(data, []byte(`\u0000`)) {
		return nil
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return plainJSONError(err)
	}
	if path := findNUL(tree, "body"); path != "" {
		return &nulError{path}
	}
	return nil
}

const (
	maxDepth  = 100     // of lists and objects in each other
	maxValues = 500_000 // in a body, keys included
	maxKeys   = 1000    // in one object
)

// boundJSON refuses a body whose structure alone costs too much. It counts and checks
// nothing else.
func boundJSON(data []byte) error {
	var commas [maxDepth]int // by depth
	depth, values := 0, 0
	objects := [maxDepth]bool{}
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth >= maxDepth {
				return fmt.Errorf("it nests lists and objects more than %d deep", maxDepth-1)
			}
			commas[depth], objects[depth] = 0, data[i] == '{'
			values++
		case '}', ']':
			depth = max(depth-1, 0)
		case ':':
			values++
		case ',':
			values++
			if commas[depth]++; objects[depth] && commas[depth] >= maxKeys {
				return fmt.Errorf("it has an object of more than %d keys", maxKeys)
			}
		}
		if values > maxValues {
			return fmt.Errorf("it holds more than %d values", maxValues)
		}
	}
	return nil
}

// plainJSONError says what is wrong with JSON without the names of Go's types.
func plainJSONError(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		at := "body"
		if kind.Field != "" {
			at += "." + kind.Field
		}
		return fmt.Errorf("%s has a value that does not fit there: %s", at, kind.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not JSON: %s at byte %d", strings.TrimPrefix(syntax.Error(), "json: "), syntax.Offset)
	case strings.Contains(err.Error(), "base64"):
		return errors.New("it has bytes that are not base64")
	}
	return errors.New("it is not JSON that this route takes: /api/v1/docs describes it")
}

// findNUL is the path of a text with NUL, or "".
func findNUL(v any, path string) string {
	switch v := v.(type) {
	case string:
		if strings.ContainsRune(v, 0) {
			return path
		}
	case []any:
		for i, item := range v {
			if found := findNUL(item, fmt.Sprintf("%s[%d]", path, i)); found != "" {
				return found
			}
		}
	case map[string]any:
		for name, item := range v {
			if strings.ContainsRune(name, 0) {
				return path
			}
			if found := findNUL(item, path+"."+name); found != "" {
				return found
			}
		}
	}
	return ""
}
