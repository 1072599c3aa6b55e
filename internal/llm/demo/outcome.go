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

// field is a value of an object as text; "" where there is none.
func field(data any, names ...string) string {
	object, _ := data.(map[string]any)
	for _, name := range names {
		switch value := object[name].(type) {
		case string, json.Number, bool:
			if value != "" {
				return fmt.Sprint(value)
			}
		}
	}
	return ""
}

func (o outcome) truncated() bool { return field(o.data, "truncated") == "true" }

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

// lines writes each item of the result in one line.
func (o outcome) lines(tool string) (lines []string) {
	for _, item := range o.items() {
		switch tool {
		case "file_list":
			name := field(item, "path", "name")
			if field(item, "type") == "directory" {
				name += "/"
			}
			lines = append(lines, name)
		case "file_grep":
			lines = append(lines, fmt.Sprintf("%s:%s %s", field(item, "path"), field(item, "line"),
				field(item, "text")))
		case "web_search":
			lines = append(lines, fmt.Sprintf("%s %s %s", field(item, "title"), field(item, "url"),
				field(item, "snippet")))
		case "multi_agent":
			lines = append(lines, "## "+field(item, "task_name")+"\n\n"+field(item, "response", "error")+"\n")
		}
	}
	return lines
}

// text is the result as something to save, with the property that holds a tool's
// answer, the lines of a list, or all properties.
func (o outcome) text(tool string) (string, bool) {
	if !o.success {
		return "", false
	}
	object, isObject := o.data.(map[string]any)
	if !isObject {
		return fmt.Sprint(o.data), o.data != nil
	}
	if name, has := answers[tool]; has {
		return field(o.data, strings.Fields(name)...), tool == "file_read" || field(o.data,
			strings.Fields(name)...) != ""
	}
	if o.items() != nil {
		return strings.TrimSpace(strings.Join(o.lines(tool), "\n")), true
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if value := field(object, key); value != "" {
			out = append(out, fmt.Sprintf("%s: %s", strings.ReplaceAll(key, "_", " "), value))
		}
	}
	return strings.Join(out, "\n"), len(out) > 0
}

// answers names the properties that hold a tool's answer.
var answers = map[string]string{
	"calculator": "result", "get_current_time": "time", "file_read": "content", "fetch_page": "content",
	"shell_execute": "stdout", "execute_python": "stdout value",
}
