package app

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

// offered is what a model was told of the tools in a run of a server with this
// configuration.
func offered(t *testing.T, config string, project bool) (names []string, parameters map[string]string) {
	t.Helper()
	model := llmtest.NewServer(t)
	model.On(llmtest.UserContains("hello")).Reply(llmtest.Text("done"))
	h := newHouse(t, strings.ReplaceAll(`
models: [{id: m, provider: openai, base_url: "MODEL", api_key: k, supports: [tools]}]
default_model: m
`, "MODEL", model.URL())+config)
	body := `{"title":"t"}`
	if project {
		body = `{"title":"t","project_id":"` + h.create("/projects", `{"name":"p"}`) + `"}`
	}
	h.events("POST", "/api/v1/conversations/"+h.create("/conversations", body)+"/runs", `{"text":"hello"}`)
	requests := model.Requests(llmtest.UserContains("hello"))
	if len(requests) == 0 {
		t.Fatal("the model was not asked")
	}
	parameters = map[string]string{}
	for _, tool := range requests[0].Tools {
		var plain bytes.Buffer
		if err := json.Compact(&plain, tool.Parameters); err != nil {
			t.Fatal(err)
		}
		parameters[tool.Name] = plain.String()
	}
	return requests[0].ToolNames(), parameters
}

// TS2: a model is told of the tools that it can use, and of the limits in force.
func TestAModelIsToldWhatItCanUse(t *testing.T) {
	t.Parallel()
	t.Run("without a project and without other agents", func(t *testing.T) {
		t.Parallel()
		names, parameters := offered(t, "sub_agent: {max_tasks: 7}\n", false)
		for _, name := range names {
			if strings.HasPrefix(name, "file_") || strings.HasPrefix(name, "db_") || strings.Contains(name, "agents") ||
				name == "delegate_external_agent" || name == "chat_with_agent" {
				t.Errorf("%s is offered", name)
			}
		}
		if !strings.Contains(parameters["multi_agent"], `"maxItems":7`) || len(names) < 10 {
			t.Errorf("%v; multi_agent: %s", names, parameters["multi_agent"])
		}
	})
	t.Run("where nothing executes", func(t *testing.T) {
		t.Parallel()
		names, _ := offered(t, "workspace: {local_shell: false}\ncode_execution: {enabled: false}\n", true)
		if slices.Contains(names, "shell_execute") || slices.Contains(names, "execute_python") {
			t.Errorf("commands and code are offered: %v", names)
		}
	})
	t.Run("without Chromium", func(t *testing.T) { // MD1
		t.Parallel()
		names, _ := offered(t, "browser: {program: /nowhere/chromium}\n", true)
		if slices.Contains(names, "browser_use") || !slices.Contains(names, "fetch_page") {
			t.Errorf("the browser is offered: %v", names)
		}
	})
	t.Run("with a configured database and no project", func(t *testing.T) {
		t.Parallel()
		names, _ := offered(t, "databases: {sales: {url: 'sqlite:///nowhere.db'}}\n", false)
		if !slices.Contains(names, "db_query") || !slices.Contains(names, "db_schema") {
			t.Errorf("the database tools are not offered: %v", names)
		}
	})
	t.Run("with all of it", func(t *testing.T) {
		t.Parallel()
		names, parameters := offered(t, `
agents: [{id: critic, description: judges}]
external_agents: {coder: {command: "true"}}
code_execution: {loosest_strictness: strict, default_strictness: strict}
guard: {denied_tools: ["file_d*", get_weather]}
`, true)
		for _, name := range []string{"file_read", "list_agents"} {
			if !slices.Contains(names, name) {
				t.Errorf("%s is not offered: %v", name, names)
			}
		}
		for _, name := range []string{"file_delete", "get_weather"} {
			if slices.Contains(names, name) {
				t.Errorf("%s is offered, which is denied", name)
			}
		}
		for tool, want := range map[string]string{"chat_with_agent": `"enum":["critic"]`,
			"delegate_external_agent": `"enum":["coder"]`, "execute_python": `"enum":["strict"]`} {
			if got, found := parameters[tool]; found && !strings.Contains(got, want) || !found &&
				tool != "execute_python" {
				t.Errorf("%s: %s, want %s", tool, got, want)
			}
		}
	})
}

// MD2: where ffmpeg is not installed and there is no display, the tools that need them are
// not offered.
func TestToolsWithoutTheirProgramsAreNotOffered(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	names, _ := offered(t, "environment: development\nshell: {policy: host}\n", true)
	for _, name := range []string{"view_video", "desktop_screenshot"} {
		if slices.Contains(names, name) {
			t.Errorf("%s is offered", name)
		}
	}
	if !slices.Contains(names, "view_image") || !slices.Contains(names, "send_file_to_user") {
		t.Errorf("what needs no program is not offered: %v", names)
	}
}
