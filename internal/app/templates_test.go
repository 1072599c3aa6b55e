package app

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/tools"
)

// templatesHead is a configuration with a sandbox and the models of the test.
func templatesHead(model *llmtest.Server, guard string) string {
	return `
models: [{id: m, provider: openai, base_url: "` + model.URL() + `", api_key: k, supports: [tools]}]
default_model: m
guard: {level: ` + guard + `}
`
}

const reportTemplate = `
shell:
  policy: sandbox
  templates:
    - name: report
      description: Write a report about a word.
      command: |
        mkdir -p out && printf '%s\n' -- {{word}} > out/report.txt
        cat out/report.txt; cd /
      parameters: [{name: word, type: text, pattern: '[^\n]*'}]
      success: {output: '^--', files: [out/report.txt]}
    - name: check
      description: Check.
      command: echo {{text}}
      parameters: [{name: text}]
      success: {not_output: FAIL}
    - name: clean
      description: Remove a directory.
      command: rm -rf -- {{dir}} .git
      parameters: [{name: dir, type: path}]
`

// BT10, TG4: a command template is a typed tool; its values reach the program as they are,
// what it does not lead to is a failure with the reason, and the guard judges its command.
func TestCommandTemplatesAreTypedTools(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bwrap"); err != nil && os.Getenv("CI") == "" {
		t.Skip("NOT TESTED: bubblewrap is not installed: run scripts/setup-sandbox.sh")
	}
	model := llmtest.NewServer(t)
	h := newHouse(t, templatesHead(model, "auto")+reportTemplate)
	project := h.create("/projects", `{"name":"p"}`)
	of := func(name string, arguments args) llmtest.Call {
		encoded, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		return llmtest.Call{Name: name, Arguments: string(encoded)}
	}
	const nasty = `it's $(touch out/hacked) "; touch out/hacked #`
	model.On(llmtest.User("work")).Steps(llmtest.Calls(of("run_report", args{"word": nasty}),
		of("run_check", args{"text": "all FAIL"}), of("run_check", args{"text": "-n"}),
		of("run_report", args{"word": "two\nlines"}), of("run_report", args{"other": "x"}),
		of("shell_execute", args{"command": "ls out; pwd"})), llmtest.Text("done"))
	conversation := h.create("/conversations", `{"project_id":"`+project+`"}`)
	if status, _ := h.ended(h.send(conversation, "work")); status != "completed" {
		t.Fatalf("the run is %s", status)
	}
	var messages struct {
		Items []struct {
			ToolCalls []tools.Record `json:"tool_calls"`
		}
	}
	h.call("GET", "/api/v1/conversations/"+conversation+"/messages", "", &messages)
	var results []string
	for _, call := range messages.Items[1].ToolCalls {
		results = append(results, call.Result)
	}
	for i, want := range []string{`"exit_code":0`, "must not occur", "begins with -", "invalid_arguments",
		"invalid_arguments", `"stdout":"report.txt\n`} {
		if !strings.Contains(results[i], want) {
			t.Errorf("call %d answered %s, want %q in it", i, results[i], want)
		}
	}
	if !strings.Contains(results[1], `"unexpected_result"`) || strings.Contains(results[5], `\n/\n`) {
		t.Errorf("the failure is %s, and the shell was left at %s", results[1], results[5])
	}
	model.On(llmtest.User("clean up")).Steps(llmtest.Calls(of("run_clean", args{"dir": "src"})), llmtest.Text("done"))
	h.send(conversation, "clean up")
	for _, asked := range h.waiting(1) {
		if asked.ToolCall.Function.Name != "run_clean" {
			t.Errorf("what waits is %+v", asked)
		}
	}

	h.configure(templatesHead(model, "auto") + strings.ReplaceAll(reportTemplate, "name: check", "name: inspect"))
	for offered := h.tools(); !strings.Contains(offered, "run_inspect"); offered = h.tools() {
		if t.Context().Err() != nil {
			t.Fatalf("the tools are %s", offered)
		}
	}
	if offered := h.tools(); strings.Contains(offered, "run_check") || !strings.Contains(offered, "run_report") {
		t.Errorf("behind the change of the configuration the tools are %s", offered)
	}
}

// tools are the names of those that the API lists.
func (h *house) tools() string {
	h.t.Helper()
	var list struct {
		Items []struct{ Name string }
	}
	h.call("GET", "/api/v1/tools", "", &list)
	var names []string
	for _, one := range list.Items {
		names = append(names, one.Name)
	}
	return strings.Join(names, " ")
}
