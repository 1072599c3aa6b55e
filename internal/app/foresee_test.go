package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

type foreseen struct {
	Change *struct {
		Path, Kind, Diff string
	}
	Problem, Code string
}

// RD1: the person who is asked about a write sees what the file would hold, secrets
// included, and why a call would fail; nothing is written by looking.
func TestAPersonSeesWhatAWaitingCallWouldWrite(t *testing.T) {
	t.Parallel()
	h, model, conversation, dir := guardedHouse(t, "guard: {level: strict}\nworkspace: {denied_names: [\"*.pem\"]}\n")
	env := filepath.Join(dir, ".env")
	if err := os.WriteFile(env, []byte(threeSecrets), 0o600); err != nil {
		t.Fatal(err)
	}
	redactor := h.redactor()
	mark := strings.TrimPrefix(strings.Split(redactor.String(threeSecrets), "\n")[1], "DB_PASSWORD=")
	long := strings.Repeat("a long line of text\n", 3_000)
	for i, one := range []struct {
		tool       string
		arguments  args
		want, kind string
		code       string
	}{
		{tool: "file_edit", arguments: args{"path": "./.env", "old_string": "DB_PASSWORD=" + mark,
			"new_string": "MAIN_PASSWORD=" + mark}, kind: "modified",
			want: "-DB_PASSWORD=hunter2hunter2\n+MAIN_PASSWORD=hunter2hunter2\n"},
		{tool: "file_write", arguments: args{"path": ".env", "content": "OLD_PASSWORD=" + mark + "\n"}, kind: "modified",
			want: "+OLD_PASSWORD=hunter2hunter2\n"},
		{tool: "file_append", arguments: args{"path": ".env", "content": "NEW_PASSWORD=another99word\n"}, kind: "modified",
			want: "+NEW_PASSWORD=another99word\n"},
		{tool: "file_write", arguments: args{"path": "new/file.txt", "content": "one\n"}, kind: "created",
			want: "--- /dev/null\n+++ b/new/file.txt\n@@ -0,0 +1 @@\n+one\n"},
		{tool: "file_write", arguments: args{"path": "long.txt", "content": long}, kind: "created"},
		{tool: "file_write", arguments: args{"path": "x.txt", "content": "PASSWORD=" + mark}, code: "unresolved_placeholder"},
		{tool: "file_write", arguments: args{"path": "x.pem", "content": "x"}, code: "access_denied"},
		{tool: "file_edit", arguments: args{"path": ".env", "old_string": "nowhere", "new_string": "x"},
			code: "invalid_arguments"},
		{tool: "file_delete", arguments: args{"path": ".env"}},
		{tool: "shell_execute", arguments: args{"command": "rm .env"}},
	} {
		text := fmt.Sprintf("do %d: %s", i, one.tool)
		model.On(llmtest.User(text)).Steps(calls(t, one.tool, one.arguments), llmtest.Text("done"))
		run := h.send(conversation, text)
		for _, asked := range h.waiting(1) {
			var seen foreseen
			if status := h.call("GET", "/api/v1/approvals/"+asked.ID+"/change", "", &seen); status != 200 {
				t.Errorf("%s: %d", text, status)
			}
			switch {
			case one.kind == "" && seen.Change != nil, seen.Code != one.code, (seen.Problem == "") != (one.code == ""):
				t.Errorf("%s: %+v", text, seen)
			case one.kind != "" && (seen.Change == nil || seen.Change.Kind != one.kind ||
				!strings.Contains(seen.Change.Diff, one.want)):
				t.Errorf("%s: %+v", text, seen)
			}
			h.call("POST", "/api/v1/approvals/"+asked.ID, `{"decision":"deny"}`, nil)
			if status := h.call("GET", "/api/v1/approvals/"+asked.ID+"/change", "", nil); status != 409 {
				t.Errorf("%s: decided: %d", text, status)
			}
		}
		h.ended(run)
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Fatalf("%s: the project has %v, %v", text, entries, err)
		}
	}
	if text, err := os.ReadFile(env); err != nil || string(text) != threeSecrets {
		t.Errorf(".env: %q, %v", text, err)
	}
}
