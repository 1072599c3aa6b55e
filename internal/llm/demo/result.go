package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// outcome is what became of a call, read from its result in the history.
type outcome struct {
	success bool
	data    any    // of a success; of a failure, what it brought all the same
	message string // of a failure
	code    string
	raw     string // the text of a result that is not in the tools' format

	arguments string // of the call, in JSON
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
		return outcome{raw: text, success: text != ""}
	}
	return outcome{success: *result.Success, data: result.Data, message: result.Error, code: result.Code}
}

// truncated: the tool says that its output is not the whole.
func (o outcome) truncated() bool {
	object, _ := o.data.(map[string]any)
	cut, _ := object["truncated"].(bool)
	return cut
}

// text is the result as something to save or to compute with. false: there is
// nothing of that kind in it, or not the whole of it.
func (o outcome) text(k kind) (string, bool) {
	if !o.success || o.raw != "" || o.truncated() {
		return "", false
	}
	switch k {
	case kindCompute:
		return o.field("result", "value")
	case kindTime:
		return o.field("time", "current_time", "local_time", "datetime", "iso", "now", "text")
	case kindRead, kindFetch:
		return o.field("content", "text", "markdown", "body")
	case kindShell:
		return o.field("stdout", "output")
	case kindPython:
		return o.field("stdout", "output", "result")
	case kindList, kindGlob:
		return strings.Join(o.names(), "\n"), true
	case kindAgents:
		return joinAnswers(o.answers()), true
	}
	if text, ok := o.data.(string); ok {
		return text, true
	}
	return plain(o.data), true
}

// field is the first of the named fields that holds a text or a number.
func (o outcome) field(names ...string) (string, bool) {
	switch data := o.data.(type) {
	case string:
		return data, true
	case json.Number:
		return data.String(), true
	case map[string]any:
		for _, name := range names {
			switch value := data[name].(type) {
			case string:
				return value, true
			case json.Number:
				return value.String(), true
			}
		}
	}
	return "", false
}

// items is the list in a result: the data itself, or the first list in it under
// one of the usual names, or under any.
func (o outcome) items() []any {
	switch data := o.data.(type) {
	case []any:
		return data
	case map[string]any:
		for _, name := range []string{"entries", "files", "items", "matches", "results", "paths", "agents"} {
			if list, ok := data[name].([]any); ok {
				return list
			}
		}
		for _, name := range sortedKeys(data) {
			if list, ok := data[name].([]any); ok {
				return list
			}
		}
	}
	return nil
}

// names are the files and folders of a listing, folders with a slash.
func (o outcome) names() []string {
	var names []string
	for _, item := range o.items() {
		switch entry := item.(type) {
		case string:
			names = append(names, entry)
		case map[string]any:
			name, _ := first(entry, "path", "name")
			kind, _ := first(entry, "type", "kind")
			folder := kind == "dir" || kind == "directory" || kind == "folder" || entry["is_dir"] == true || entry["dir"] == true
			if folder && !strings.HasSuffix(name, "/") {
				name += "/"
			}
			if name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// answer is what one sub-agent gave back.
type answer struct {
	name    string
	text    string
	success bool
	partial bool // it gave what it had when it had to end
}

func (o outcome) answers() []answer {
	var all []answer
	for _, item := range o.items() {
		entry, ok := item.(map[string]any)
		if !ok {
			continue
		}
		a := answer{}
		a.name, _ = first(entry, "task_name", "name")
		a.success, _ = entry["success"].(bool)
		a.partial, _ = entry["incomplete"].(bool)
		a.text, _ = first(entry, "response", "error")
		if !a.success {
			a.text, _ = first(entry, "error", "response")
		}
		all = append(all, a)
	}
	return all
}

func joinAnswers(answers []answer) string {
	parts := make([]string, 0, len(answers))
	for _, a := range answers {
		parts = append(parts, fmt.Sprintf("## %s\n\n%s", a.name, a.text))
	}
	return strings.Join(parts, "\n\n")
}

func first(object map[string]any, names ...string) (string, bool) {
	for _, name := range names {
		if text, ok := object[name].(string); ok && text != "" {
			return text, true
		}
	}
	return "", false
}

func sortedKeys(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// plain writes a small object as "key: value" lines, anything else as JSON.
func plain(data any) string {
	object, ok := data.(map[string]any)
	if !ok {
		return compact(data)
	}
	var lines []string
	for _, key := range sortedKeys(object) {
		value, isText := object[key].(string)
		if !isText {
			value = compact(object[key])
		}
		lines = append(lines, strings.ReplaceAll(key, "_", " ")+": "+value)
	}
	return strings.Join(lines, "\n")
}

func compact(data any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		return fmt.Sprint(data)
	}
	return strings.TrimSpace(out.String())
}
