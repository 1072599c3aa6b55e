package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/llm"
)

// world runs the calls that the model makes, in memory, in the tools' own format.
type world struct {
	files  map[string]string
	offers []string         // tools; nil: all
	fails  map[string]error // by tool
}

type codedError struct{ code, text string }

func (e codedError) Error() string { return e.text }

func (w *world) tools() []llm.ToolDef {
	names := w.offers
	if names == nil {
		names = allTools()
	}
	defs := make([]llm.ToolDef, len(names))
	for i, name := range names {
		defs[i] = llm.ToolDef{Name: name, Description: name, Parameters: json.RawMessage(`{"type":"object"}`)}
	}
	return defs
}

// allTools are those that the model knows to describe.
func allTools() []string {
	var names []string
	for key := range phrases {
		if name, is := strings.CutPrefix(key, "do "); is && name != "save" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// run answers one call; sums are known to the test, not to the world.
func (w *world) run(t *testing.T, call llm.ToolCall) string {
	t.Helper()
	var args map[string]any
	if err := json.Unmarshal([]byte(call.Arguments), &args); err != nil {
		t.Fatalf("arguments of %s do not parse: %s", call.Name, call.Arguments)
	}
	if err, ok := w.fails[call.Name]; ok {
		code := "internal"
		if coded, isCoded := err.(codedError); isCoded {
			code = coded.code
		}
		return compact(map[string]any{"success": false, "error": err.Error(), "code": code})
	}
	text := func(name string) string { value, _ := args[name].(string); return value }
	var data any = map[string]any{}
	switch call.Name {
	case "file_list":
		var entries []any
		for _, name := range slices.Sorted(maps.Keys(w.files)) {
			entries = append(entries, map[string]any{"path": name, "type": "file", "size": len(w.files[name])})
		}
		data = map[string]any{"entries": entries}
	case "file_read":
		content, ok := w.files[text("path")]
		if !ok {
			return `{"success":false,"error":"no such file: ` + text("path") + `","code":"not_found"}`
		}
		data = map[string]any{"content": content, "truncated": len(content) > 1000}
	case "file_write":
		w.files[text("path")] = text("content")
	case "file_append":
		w.files[text("path")] += text("content")
	case "calculator":
		value, ok := sums[text("expression")]
		if !ok {
			return `{"success":false,"error":"division by zero","code":"invalid_arguments"}`
		}
		data = map[string]any{"result": value}
	case "get_current_time":
		data = map[string]any{"time": "2026-11-05T10:20:30Z", "timezone": text("timezone")}
	case "get_weather":
		data = map[string]any{"city": text("city"), "temperature": 11, "condition": "rain", "simulated": true}
	case "multi_agent":
		var results []any
		for i, entry := range args["tasks"].([]any) {
			task := entry.(map[string]any)
			results = append(results, map[string]any{"task_name": task["name"], "success": i != 1,
				"response": fmt.Sprintf("answer %d", i+1), "error": "too slow"})
		}
		data = map[string]any{"success": true, "results": results, "total": len(results)}
	case "execute_python":
		data = map[string]any{"stdout": "42\n", "stderr": ""}
	case "shell_execute":
		data = map[string]any{"exit_code": 0, "stdout": "out of " + text("command"), "stderr": ""}
	}
	return compact(map[string]any{"success": true, "data": data})
}

var sums = map[string]string{"12*(3+4)": "84", "7*6": "42", "2+3": "5", "(5)*4": "20", "1+1": "2", "2+2": "4",
	"(5+7)*3": "36", "100/8": "12.5", "3+4": "7", "9.5-2": "7.5"}

// talkTo has a whole turn with the model; batches are the calls of each of its
// messages as "tool {arguments}".
func talkTo(t *testing.T, w *world, messages []llm.Message,
	text string) (batches [][]string, answer string, after []llm.Message) {
	t.Helper()
	model := New(llm.Info{ID: "demo"})
	messages = append(messages, llm.Message{Role: llm.RoleUser, Text: text})
	for range 10 {
		resp := ask(t, model, llm.Request{Messages: messages, Tools: w.tools()})
		messages = append(messages, llm.Message{Role: llm.RoleAssistant, Text: resp.Text, ToolCalls: resp.ToolCalls})
		if len(resp.ToolCalls) == 0 {
			return batches, resp.Text, messages
		}
		var batch []string
		for _, call := range resp.ToolCalls {
			batch = append(batch, call.Name+" "+call.Arguments)
			messages = append(messages, llm.Message{Role: llm.RoleTool, ToolCallID: call.ID, ToolName: call.Name,
				Text: w.run(t, call)})
		}
		batches = append(batches, batch)
	}
	t.Fatalf("%q: still calling tools after ten turns: %v", text, batches)
	return nil, "", nil
}

// ask makes one call and checks that the stream and the response say the same.
func ask(t *testing.T, model llm.Model, req llm.Request) llm.Response {
	t.Helper()
	var thinking, text strings.Builder
	arguments := map[int]string{}
	var resp *llm.Response
	for event, err := range model.Stream(context.Background(), req) {
		if err != nil {
			t.Fatal(err)
		}
		if resp != nil {
			t.Fatal("an event after the last one")
		}
		switch event.Kind {
		case llm.EventThinking:
			thinking.WriteString(event.Text)
		case llm.EventText:
			text.WriteString(event.Text)
		case llm.EventToolCall:
			arguments[event.ToolCall.Index] += event.ToolCall.Arguments
		case llm.EventDone:
			resp = event.Response
		}
	}
	if resp == nil {
		t.Fatal("the stream ended without a response")
	}
	if text.String() != resp.Text || thinking.String() != resp.Reasoning || len(arguments) != len(resp.ToolCalls) {
		t.Fatalf("the pieces are not the response: %q %q %v %+v", text.String(), thinking.String(), arguments, resp)
	}
	for i, call := range resp.ToolCalls {
		if arguments[i] != call.Arguments {
			t.Fatalf("call %d: pieces %s, whole %s", i, arguments[i], call.Arguments)
		}
	}
	return *resp
}
