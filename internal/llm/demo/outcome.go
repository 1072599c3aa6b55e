package demo

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// outcome is what a call came to, read from its result in the history.
type outcome struct {
	success       bool
	data          any
	message, code string // of a failure
	arguments     string // of the call, in JSON
}

// decode reads {"success":true,"data":…} or {"success":false,"error":…,"code":…}.
func decode(text string) outcome {
	var result struct {
		Success *bool  `json:"success"`
		Data    any    `json:"data"`
		Error   string `json:"error"`
		Code    string `json:"code"`
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&result); err != nil || result.Success == nil {
		return outcome{success: text != "", data: text}
	}
	return outcome{success: *result.Success, data: result.Data, message: result.Error, code: result.Code}
}

// field is a value of the result's data as text; "" where there is none.
func (o outcome) field(names ...string) string { return field(o.data, names...) }

func field(data any, names ...string) string {
	object, _ := data.(map[string]any)
	for _, name := range names {
		switch value := object[name].(type) {
		case string:
			if value != "" {
				return value
			}
		case json.Number:
			return value.String()
		}
	}
	return ""
}

func (o outcome) truncated() bool {
	object, _ := o.data.(map[string]any)
	cut, _ := object["truncated"].(bool)
	return cut
}

// items is the list in the result's data.
func (o outcome) items() []any {
	object, _ := o.data.(map[string]any)
	for _, name := range []string{"entries", "matches", "results"} {
		if list, ok := object[name].([]any); ok {
			return list
		}
	}
	return nil
}

// names are the files and folders of a listing, folders with a slash.
func (o outcome) names() []string {
	var names []string
	for _, item := range o.items() {
		name := field(item, "path", "name")
		if field(item, "type") == "directory" {
			name += "/"
		}
		names = append(names, name)
	}
	return names
}

// text is the result as something to save or to compute with.
func (o outcome) text(tool string) (string, bool) {
	if !o.success {
		return "", false
	}
	if text, ok := o.data.(string); ok {
		return text, true
	}
	text := ""
	switch tool {
	case "calculator":
		text = o.field("result")
	case "get_current_time":
		text = o.field("time")
	case "file_read":
		return o.field("content"), true
	case "fetch_page":
		text = o.field("content")
	case "shell_execute", "execute_python":
		text = o.field("stdout", "value")
	case "file_list", "file_glob":
		return strings.Join(o.names(), "\n"), true
	case "multi_agent":
		var parts []string
		for _, item := range o.items() {
			parts = append(parts, "## "+field(item, "task_name")+"\n\n"+field(item, "response", "error"))
		}
		text = strings.Join(parts, "\n\n")
	default:
		text = lines(o.data)
	}
	return text, text != ""
}

// lines writes an object as "key: value" lines, anything else as JSON.
func lines(data any) string {
	object, ok := data.(map[string]any)
	if !ok {
		return compact(data)
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		value, isText := object[key].(string)
		if !isText {
			value = compact(object[key])
		}
		if value != "" && value != "null" {
			out = append(out, fmt.Sprintf("%s: %s", strings.ReplaceAll(key, "_", " "), value))
		}
	}
	return strings.Join(out, "\n")
}
