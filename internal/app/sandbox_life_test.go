package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// onHost are the settings of tests that look at commands from outside.
const onHost = "shell: {policy: host, home_size: 1MiB}\nguard: {level: 'off'}\n"

// running are the processes whose command line begins with a word.
func running(t *testing.T, word string) (ids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(line), word) {
			ids = append(ids, file)
		}
	}
	return ids
}

// Issue 10, points 9 and 12: what a command left running ends with its conversation,
// or with its project; the audit says how commands ended.
func TestWhatACommandLeftRunningEndsWithItsConversation(t *testing.T) {
	t.Parallel()
	for _, deleted := range []string{"conversations", "projects"} {
		t.Run(deleted, func(t *testing.T) {
			t.Parallel()
			model := llmtest.NewServer(t)
			h := newHouse(t, scripted(model, onHost))
			project := h.create("/projects", `{"name":"p"}`)
			conversation := h.create("/conversations", `{"project_id":"`+project+`"}`)
			word := fmt.Sprintf("nclife%s%d", deleted, os.Getpid())
			shell := func(command string) llmtest.Call {
				return llmtest.Call{Name: "shell_execute", Arguments: `{"command":"` + command + `"}`}
			}
			start := fmt.Sprintf(
				"touch ~/kept; setsid bash -c 'exec -a %[1]s sleep 1000' & (nohup bash -c 'exec -a %[1]s sleep 1000' "+
					">/dev/null 2>&1 &) ; "+
					"until [ $(grep -la ^%[1]s /proc/[0-9]*/cmdline 2>/dev/null | wc -l) -ge 2 ]; do sleep 0.02; done",
				word)
			for name, script := range map[string]string{"start.sh": start, "kill.sh": "kill -9 $$"} {
				if err := os.WriteFile(filepath.Join(h.dir, "workspaces", project, name), []byte(script+"\n"),
					0o600); err != nil {
					t.Fatal(err)
				}
			}
			model.On(llmtest.User("go")).Steps(llmtest.Calls(shell("bash start.sh")), llmtest.Calls(shell("(exit 3)")),
				llmtest.Calls(shell("bash kill.sh")), llmtest.Text("done"))
			h.events("POST", "/api/v1/conversations/"+conversation+"/runs", `{"text":"go"}`)
			if got := running(t, word); len(got) == 0 {
				t.Fatalf("nothing runs, so that its end shows nothing: %+v", h.auditLines("kind=call"))
			}
			var details []string
			for _, line := range h.auditLines("kind=call") {
				details = append(details, line.Detail)
			}
			all := strings.Join(details, "\n")
			for _, want := range []string{"exit status 0", "exit status 3", "exit status 137; signal SIGKILL",
				"; ran "} {
				if !strings.Contains(all, want) {
					t.Errorf("%q is missing in\n%s", want, all)
				}
			}
			home := filepath.Join(h.dir, "data", "homes", project)
			if _, err := os.Stat(filepath.Join(home, "kept")); err != nil {
				t.Error(err)
			}
			if settings, err := os.ReadFile(filepath.Join(home, ".gitconfig")); err != nil ||
				!strings.Contains(string(settings), "email = ") {
				t.Errorf("%s, %v", settings, err)
			}
			id := map[string]string{"conversations": conversation, "projects": project}[deleted]
			if status := h.call("DELETE", "/api/v1/"+deleted+"/"+id, "", nil); status != 204 {
				t.Fatal(status)
			}
			if left := running(t, word); len(left) != 0 {
				t.Errorf("still there: %v", left)
			}
			if _, err := os.Stat(home); os.IsNotExist(err) != (deleted == "projects") {
				t.Errorf("the home: %v", err)
			}
		})
	}
}

// Issue 10, point 13: a HOME that grows over its limit stops the command, and is
// emptied before the next session, also where programs took away their own rights.
func TestAHomeOverItsLimitIsEmptied(t *testing.T) {
	t.Parallel()
	_, call := newSandboxServices(t, onHost)
	execute := func(command string) tools.Result {
		t.Helper()
		return executeTool(t, "shell_execute", call, map[string]any{"command": command, "timeout": 60})
	}
	if got := execute(
		"mkdir -p ~/locked/in; touch ~/locked/in/file; chmod 0 ~/locked/in ~/locked; echo x > ~/small"); !got.Success {
		t.Fatal(encode(t, got))
	}
	if got := execute("head -c 4M /dev/zero > ~/big; sleep 1000"); got.Code != "quota_exceeded" ||
		!strings.Contains(got.Error, "shell.home_size") {
		t.Fatal(encode(t, got))
	}
	if got := execute("ls -A ~"); !strings.Contains(encode(t, got), `"stdout":".gitconfig\n"`) {
		t.Error(encode(t, got))
	}
}

// Issue 10, points 10 to 12: what the tool answers.
func TestShellExecuteAnswersClearly(t *testing.T) {
	t.Parallel()
	l, call := newSandboxServices(t,
		"shell: {policy: host, failed_exit: true, startup_commands: ['echo oops >&2; false']}\n")
	if got := executeTool(t, "shell_execute", call, map[string]any{"restart": true}); !got.Success {
		t.Errorf("restart alone: %s", encode(t, got))
	}
	if got := executeTool(t, "shell_execute", call, map[string]any{"command": "true"}); !strings.Contains(got.Error+
		encode(t, got), "shell.startup_commands) failed with status 1: oops") {
		t.Error(encode(t, got))
	}
	if got := executeTool(t, "shell_execute", call, map[string]any{}); got.Code != "invalid_arguments" {
		t.Error(encode(t, got))
	}
	if got := executeTool(t, "shell_execute", call, map[string]any{"command": "true",
		"cwd": "missing"}); got.Code != "invalid_arguments" || !strings.Contains(got.Error, "missing") {
		t.Error(encode(t, got))
	}
	if got := executeTool(t, "shell_execute", call, map[string]any{"command": "sleep 100",
		"timeout": 0.2}); !strings.Contains(encode(t, got), `"limits":["time"]`) {
		t.Error(encode(t, got))
	}
	executeTool(t, "shell_execute", call, map[string]any{"command": "exit 3"})
	watched, err := services.Get(l, tools.ShellKey)
	if err != nil {
		t.Fatal(err)
	}
	counters := watched.(watchedShell).app.counters
	registry := prometheus.NewRegistry()
	if err := registry.Register(counters.anomalies); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || !strings.Contains(families[0].String(), `value:"failure"`) {
		t.Errorf("the exit status is not counted: %v, %v", families, err)
	}
}
