package api

import (
	"bytes"
	"encoding/json"
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

// unmarshalJSON leaves a NUL alone where the value is only checked against the
// schema (any): the field's own value is refused right after.
func unmarshalJSON(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return err
	}
	if _, checked := v.(*any); checked || !bytes.Contains(data, []byte(`\u0000`)) {
		return nil
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return err
	}
	if path := findNUL(tree, "body"); path != "" {
		return &nulError{path}
	}
	return nil
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
