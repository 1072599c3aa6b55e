package app

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

type changesSeen struct {
	Items []struct {
		Path, Kind, From, Reason, Diff string
		Revertible                     bool
	}
	Notes []string
}

type outcomesSeen struct {
	Items  []struct{ Path, Outcome, Reason string }
	DryRun bool `json:"dry_run"`
}

func (o outcomesSeen) String() string {
	var all []string
	for _, one := range o.Items {
		all = append(all, one.Outcome+" "+one.Path)
	}
	return strings.Join(all, ", ")
}

func calls(t *testing.T, list ...any) llmtest.Reply {
	t.Helper()
	var all []llmtest.Call
	for i := 0; i < len(list); i += 2 {
		arguments, err := json.Marshal(list[i+1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, llmtest.Call{Name: list[i].(string), Arguments: string(arguments)})
	}
	return llmtest.Calls(all...)
}

// text reads an address as it is.
func (h *house) text(path string) string {
	h.t.Helper()
	response, err := http.Get(h.url + path)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

type args map[string]any

// CH11: what tools, a sub-agent and a command of one run did to files is shown and
// taken back over the API in one action.
func TestARunsChangesAreShownAndTakenBack(t *testing.T) {
	t.Parallel()
	policy := "sandbox"
	if _, err := exec.LookPath("bwrap"); err != nil {
		policy = "host"
	}
	model := llmtest.NewServer(t)
	h := newHouse(t, scripted(model, "guard: {level: off}\nshell: {policy: "+policy+"}\n"))
	project := h.create("/projects", `{"name":"p"}`)
	dir := filepath.Join(h.dir, "workspaces", project)
	for name, text := range map[string]string{"a.txt": "one\ntwo\n", "gone.txt": "gone", "shell.txt": "before"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	model.On(llmtest.User("part")).Steps(calls(t, "file_write", args{"path": "sub/b.txt",
		"content": "by the sub-agent\n"}), llmtest.Text("ok"))
	model.On(llmtest.User("go")).Steps(
		calls(t, "file_edit", args{"path": "a.txt", "old_string": "two", "new_string": "2"}, "file_delete",
			args{"path": "gone.txt"},
			"multi_agent", args{"tasks": []args{{"name": "s", "instruction": "part"}}}),
		calls(t, "shell_execute", args{"command": "echo after > shell.txt; mkdir made; echo x > made/x"}),
		llmtest.Text("done"))
	conversation := h.create("/conversations", `{"project_id":"`+project+`"}`)
	events := h.events("POST", "/api/v1/conversations/"+conversation+"/runs", `{"text":"go"}`)
	run, child := events[len(events)-1].RootRunID, ""
	for _, e := range events {
		if e.RunID != e.RootRunID {
			child = e.RunID
		}
		if e.Type == "tool_call.finished" && !e.ToolCall.Success {
			t.Fatalf("%s failed: %s", e.ToolCall.Function.Name, e.ToolCall.Result)
		}
	}
	var changes changesSeen
	h.call("GET", "/api/v1/runs/"+child+"/changes", "", &changes)
	var kinds []string
	for _, c := range changes.Items {
		kinds = append(kinds, c.Kind+" "+c.Path)
		if !c.Revertible {
			t.Errorf("%s cannot be reverted: %s", c.Path, c.Reason)
		}
	}
	want := "modified a.txt, deleted gone.txt, created made, created made/x, modified shell.txt, created sub, " +
		"created sub/b.txt"
	if strings.Join(kinds, ", ") != want || len(changes.Notes) != 0 {
		t.Fatalf("the changes are %v, %v", kinds, changes.Notes)
	}
	if want := "--- a/shell.txt\n+++ b/shell.txt\n@@ -1 +1 @@\n-before\n\\ No newline at end of " +
		"file\n+after\n"; changes.Items[4].Diff != want {
		t.Errorf("the diff is %q", changes.Items[4].Diff)
	}
	h.call("GET", "/api/v1/runs/"+run+"/changes?path=a.txt", "", &changes)
	if len(changes.Items) != 1 || !strings.Contains(changes.Items[0].Diff, "-two\n+2\n") {
		t.Errorf("one path is %+v", changes.Items)
	}
	if err := os.WriteFile(filepath.Join(dir, "made/x"), []byte("a person's"), 0o644); err != nil {
		t.Fatal(err)
	}
	var dry, done, again outcomesSeen
	h.call("POST", "/api/v1/runs/"+run+"/revert", `{"dry_run":true}`, &dry)
	if text, _ := os.ReadFile(filepath.Join(dir, "a.txt")); !dry.DryRun || string(text) != "one\n2\n" {
		t.Errorf("a dry run left %q", text)
	}
	h.call("POST", "/api/v1/runs/"+run+"/revert", "{}", &done)
	if got := done.String(); got != "reverted a.txt, reverted gone.txt, conflict made, conflict made/x, reverted shell.txt, reverted sub, reverted sub/b.txt" {
		t.Errorf("the outcomes are %s", got)
	}
	h.call("POST", "/api/v1/runs/"+run+"/revert", "{}", &again)
	if strings.Contains(again.String(), "reverted") {
		t.Errorf("again the outcomes are %s", again)
	}
	for name, text := range map[string]string{"a.txt": "one\ntwo\n", "gone.txt": "gone", "shell.txt": "before",
		"made/x": "a person's"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	rows := h.auditLines("tool=revert-run")
	if len(rows) != 2 || !strings.Contains(rows[1].Detail, `"outcome":"conflict"`) || rows[1].RunID != run {
		t.Errorf("the audit has %+v", rows)
	}
	var trash struct{ Items []struct{ Path string } }
	h.call("GET", "/api/v1/projects/"+project+"/trash", "", &trash)
	var binned []string
	for _, item := range trash.Items {
		binned = append(binned, item.Path)
	}
	slices.Sort(binned)
	if got := strings.Join(binned, " "); got != "a.txt gone.txt shell.txt sub/b.txt" {
		t.Errorf("the trash holds %s", got)
	}
}

// CH11: a run at work is not taken back.
func TestARunAtWorkIsNotTakenBack(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	gate := llmtest.NewGate()
	h := newHouse(t, scripted(model, "guard: {level: off}\n"))
	project := h.create("/projects", `{"name":"p"}`)
	model.On(llmtest.User("go")).Steps(calls(t, "file_write", args{"path": "a", "content": "x"}),
		llmtest.Text("done").At(gate))
	conversation := h.create("/conversations", `{"project_id":"`+project+`"}`)
	var run struct{ ID string }
	h.call("POST", "/api/v1/conversations/"+conversation+"/runs", `{"text":"go"}`, &run)
	<-gate.Reached()
	if status := h.call("POST", "/api/v1/runs/"+run.ID+"/revert", "{}", nil); status != 409 {
		t.Errorf("status %d", status)
	}
	gate.Release()
}

// FS3: a command that fills the project is stopped, and so is what adds to it before
// there is room; what adds nothing runs, so that room can be made (10.9).
func TestACommandThatFillsTheProjectIsStopped(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"host", "sandbox"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("bwrap"); err != nil && policy == "sandbox" {
				t.Skip("NOT TESTED: bubblewrap is not installed")
			}
			model := llmtest.NewServer(t)
			h := newHouse(t, scripted(model,
				"guard: {level: off}\nworkspace: {max_total_size: 2MiB, max_file_size: 1MiB}\nshell: {policy: "+policy+
					"}\n"))
			project := h.create("/projects", `{"name":"p"}`)
			fill := "i=0; while true; do head -c 100000 /dev/zero > f$i; i=$((i+1)); sleep 0.01; done"
			model.On(llmtest.User("go")).Steps(
				calls(t, "shell_execute", args{"command": fill}),
				calls(t, "shell_execute", args{"command": fill}),
				calls(t, "file_write", args{"path": "more", "content": "x"}),
				calls(t, "shell_execute", args{"command": "rm f*"}),
				calls(t, "file_write", args{"path": "room", "content": "x"}),
				llmtest.Text("done"))
			conversation := h.create("/conversations", `{"project_id":"`+project+`"}`)
			events := h.events("POST", "/api/v1/conversations/"+conversation+"/runs", `{"text":"go"}`)
			var results []string
			for _, e := range events {
				if e.Type == "tool_call.finished" {
					results = append(results, e.ToolCall.Result)
				}
			}
			if len(results) != 5 || !strings.Contains(results[0], "it was stopped") {
				t.Fatalf("the results are %v", results)
			}
			for _, result := range results[3:] {
				if !strings.Contains(result, `"success":true`) || strings.Contains(result, "quota") {
					t.Errorf("making room: %s", result)
				}
			}
			for _, result := range results[:3] {
				if !strings.Contains(result, `"code":"quota_exceeded"`) {
					t.Errorf("a result is %s", result)
				}
			}
			if text := h.text("/metrics"); !strings.Contains(text,
				`nanoclaw_command_anomalies_total{kind="resource_limit",tool="shell_execute"} 2`) {
				t.Errorf("the metrics have %s", text)
			}
		})
	}
}
