package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/browser"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// everyTool is one call of each tool that ships, with what its result must hold.
// %s is the address of a web server. The calls run in this order where it matters.
var everyTool = []toolCall{
	{"file_write", `{"path":"notes/a.txt","content":"one\ntwo\n"}`, `"created":true`},
	{"file_append", `{"path":"notes/a.txt","content":"three\n"}`, `"bytes_written"`},
	{"file_edit", `{"path":"notes/a.txt","old_string":"two","new_string":"2"}`, `"success":true`},
	{"file_read", `{"path":"notes/a.txt"}`, `one\n2\nthree`},
	{"file_mkdir", `{"path":"empty"}`, `"success":true`},
	{"file_exists", `{"path":"notes/a.txt"}`, `true`},
	{"file_move", `{"from":"notes/a.txt","to":"b.txt"}`, `"success":true`},
	{"send_file_to_user", `{"path":"b.txt","caption":"the notes"}`, `"name":"b.txt"`},
	{"file_list", `{"path":"."}`, `b.txt`},
	{"file_glob", `{"pattern":"**/*.txt"}`, `b.txt`},
	{"file_grep", `{"pattern":"thr.e"}`, `three`},
	{"file_delete", `{"path":"empty","recursive":true}`, `"success":true`},
	{"calculator", `{"expression":"0.1+0.2"}`, `"0.3"`},
	{"text_process", `{"text":"b\na","operation":"sort"}`, `a\nb`},
	{"json_process", `{"json_string":"{\"a\":[1,2]}","operation":"query","query":".a[1]"}`, `2`},
	{"db_schema", `{"database":"data.db"}`, `conversations`},
	{"db_query", `{"sql":"SELECT 40+2 AS answer","database":"data.db"}`, `42`},
	{"get_current_time", `{"timezone":"Asia/Shanghai"}`, `+08:00`},
	{"set_user_timezone", `{"timezone":"Europe/Berlin"}`, `Europe/Berlin`},
	{"get_token_usage", `{}`, `tokens`},
	{"get_weather", `{"city":"上海"}`, `"simulated":true`},
	{"web_search", `{"query":"nanoclaw"}`, `The result`},
	{"fetch_page", `{"url":"%s/page","extract_type":"markdown"}`, `Hello`},
	{"crawl_batch", `{"urls":["%s/page","%s/other"]}`, `Hello`},
	{"read_skill", `{"name":"deploy"}`, `Ask first.`},
	{"list_agents", `{}`, `reviewer`},
	{"chat_with_agent", `{"agent":"reviewer","message":"look at this"}`, `looked at it`},
	{"delegate_external_agent", `{"agent":"outside","message":"hello"}`, `"stop_reason":"end_turn"`},
	{"multi_agent", `{"tasks":[{"name":"a","instruction":"part one"},{"name":"b","instruction":"part two"}]}`,
		`did part two`},
	{"submit_agent_task", `{"instruction":"part three"}`, `"status":"queued"`},
	{"browser_use", `{"op":"open","url":"%s/page"}`, `heading \"Hello\"`},
	{"view_image", `{"path":"red.png"}`, `"width":3`},
	{"view_video", `{"path":"red.mp4","frames":1}`, `"duration":1`},
	{"shell_execute", `{"command":"echo from the shell"}`, `from the shell`},
	{"execute_python", `{"code":"import json\nprint(json.dumps({'a': 6*7}))"}`, `42`},
	// in a second step, with the id that submit_agent_task answered
	{"check_agent_task", `{"task_id":"%t"}`, `"name":"part three"`},
	{"cancel_agent_task", `{"task_id":"%t"}`, `"name":"part three"`},
}

var taskIDs = regexp.MustCompile(`"task_id":"([0-9a-f-]{36})"`)

type toolCall struct{ name, arguments, holds string }

// missingProgram says whether a tool cannot be tried since its program is not installed.
func missingProgram(tool string) bool {
	var err error
	switch tool {
	case "browser_use":
		_, err = browser.Find("")
	case "view_video":
		_, err = exec.LookPath("ffmpeg")
	}
	return err != nil
}

// BT1 BT2 BT3 BT4 BT5 BT6 BT7 BT8 BT9 BT10 BT11: every tool that ships is called
// once by a run over REST, and its result is in the record that the API shows.
func TestEveryToolIsCalledByARealRun(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bwrap"); err != nil && os.Getenv("CI") == "" {
		t.Skip("bubblewrap is not installed: run scripts/setup-sandbox.sh")
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/search":
			fmt.Fprint(w, `{"results":[{"title":"The result","url":"http://example.org/","content":"found"}]}`)
		case "/page", "/other":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<html><title>T</title><body><main><h1>Hello</h1><p>"+strings.Repeat("Some words of a page. ",
				40)+"</p></main></body></html>")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(page.Close)
	agent := filepath.Join(t.TempDir(), "agent")
	if out, err := exec.Command("go", "build", "-o", agent,
		"nanoclaw/internal/acp/testdata/agent").CombinedOutput(); err != nil {
		t.Fatalf("build the external agent: %v\n%s", err, out)
	}
	model := llmtest.NewServer(t)
	model.On(llmtest.User("look at this")).Reply(llmtest.Text("I looked at it"))
	model.On(llmtest.UserContains("part ")).Reply(llmtest.Text("did {{user}}"))
	offered := slices.DeleteFunc(slices.Clone(everyTool), func(one toolCall) bool {
		return os.Getenv("CI") == "" && missingProgram(one.name)
	})
	var calls, later []llmtest.Call
	for _, tool := range offered {
		call := llmtest.Call{Name: tool.name, Arguments: strings.ReplaceAll(tool.arguments, "%s", page.URL)}
		if strings.Contains(tool.arguments, "%t") {
			later = append(later, call)
		} else {
			calls = append(calls, call)
		}
	}
	model.On(llmtest.User("use everything")).Func(func(r llmtest.Request) llmtest.Reply {
		switch r.Step() {
		case 1:
			return llmtest.Calls(calls...)
		case 2:
			for _, message := range r.Messages {
				if id := taskIDs.FindStringSubmatch(message.Text); id != nil {
					for i := range later {
						later[i].Arguments = strings.ReplaceAll(later[i].Arguments, "%t", id[1])
					}
				}
			}
			return llmtest.Calls(later...)
		}
		return llmtest.Text("All were called.")
	})

	h := newHouse(t, fmt.Sprintf(`
default_model: m
models: [{ id: m, base_url: %[1]s, api_key: not-a-real-key }]
agents: [{ id: reviewer, name: Reviewer, description: looks at things }]
guard: { level: "off" } # nobody is there to approve
external_agents: { outside: { command: %[2]s } }
fetch: { allow_private: true }
web_search: { providers: [{ type: searxng, base_url: %[3]s }] }
weather: { base_url: %[3]s/weather, geocoding_url: %[3]s/places }
tool_max_workers: 8
`, model.URL(), agent, page.URL))
	h.put(map[string]string{"data/skills/deploy/SKILL.md": skillFile("deploy", "Put it into production", "Ask first.")})
	project := h.create("/projects", `{"name":"p"}`)
	database := filepath.Join(h.dir, "workspaces", project, "data.db")
	s, err := store.Open(t.Context(), store.Options{SQLiteFile: database})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	files := filepath.Join(h.dir, "workspaces", project)
	h.put(map[string]string{"workspaces/" + project + "/red.png": string(pngOf(t, 3, 2))})
	if !missingProgram("view_video") {
		if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=32x32:d=1:r=5",
			filepath.Join(files, "red.mp4")).CombinedOutput(); err != nil {
			t.Fatalf("make a video: %v\n%s", err, out)
		}
	}
	conversation := h.create("/conversations", `{"project_id":"`+project+`"}`)
	events := h.events("POST", "/api/v1/conversations/"+conversation+"/runs", `{"text":"use everything"}`)
	if last := events[len(events)-1]; last.Type != "run.finished" || last.Run.Status != "completed" {
		t.Fatalf("the run ended with %+v", last)
	}
	var messages struct {
		Items []struct {
			ToolCalls []tools.Record `json:"tool_calls"`
		}
	}
	if status := h.call("GET", "/api/v1/conversations/"+conversation+"/messages", "",
		&messages); status != http.StatusOK {
		t.Fatalf("messages: %d", status)
	}
	records := messages.Items[1].ToolCalls
	missing := map[string]bool{}
	for _, tool := range tools.Default().List() {
		if tool.Name == "desktop_screenshot" {
			continue // it needs shell.policy host: TestTheScreenIsAskedAboutBeforeItIsShown
		}
		missing[tool.Name] = os.Getenv("CI") != "" || !missingProgram(tool.Name)
	}
	maps.DeleteFunc(missing, func(_ string, wanted bool) bool { return !wanted })
	for i, record := range records {
		want := offered[i]
		delete(missing, record.Function.Name)
		if record.Function.Name != want.name || record.Type != "function" || record.AgentPath != "main" ||
			!json.Valid([]byte(record.Result)) {
			t.Errorf("record %d: %+v", i, record)
		}
		if !record.Success || !strings.Contains(record.Result, want.holds) {
			t.Errorf("%s answered %s, want it to hold %s", want.name, record.Result, want.holds)
		}
	}
	if len(missing) > 0 {
		t.Errorf("tools that ship and were not called: %v", slices.Sorted(maps.Keys(missing)))
	}
}
