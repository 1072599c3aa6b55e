package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
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
