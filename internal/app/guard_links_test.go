package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

// FS4: a link within a project is no way around a permission; where it leads to what
// is allowed it is one.
func TestPermissionsHoldThroughLinks(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	h := newHouse(t, scripted(model, `guard: { permissions: [ { paths: ["payroll/**"], deny: [read, write, delete] }, { allow: [read, write, delete] } ] }
`))
	project := h.create("/projects", `{"name":"p"}`)
	dir := filepath.Join(h.dir, "workspaces", project)
	for name, text := range map[string]string{"payroll/a.txt": "a salary", "open/b.txt": "a recipe"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"public": "payroll", "kitchen": "open"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	model.On(llmtest.User("go")).Steps(
		calls(t, "file_read", args{"path": "public/a.txt"}, "file_grep", args{"path": "public", "pattern": "salary"},
			"file_write", args{"path": "public/new.txt", "content": "x"}, "file_read", args{"path": "kitchen/b.txt"}),
		llmtest.Text("done"))
	conversation := h.create("/conversations", `{"project_id":"`+project+`"}`)
	var said []string
	for _, e := range h.events("POST", "/api/v1/conversations/"+conversation+"/runs", `{"text":"go"}`) {
		if e.Type != "tool_call.finished" {
			continue
		}
		result := e.ToolCall.Result
		said = append(said, result)
		if allowed := strings.Contains(result, "a recipe"); e.ToolCall.Success != allowed || strings.Contains(result,
			"a salary") {
			t.Errorf("%s: %s", e.ToolCall.Function.Name, result)
		}
	}
	if len(said) != 4 || strings.Count(strings.Join(said, ""), "a recipe") != 1 {
		t.Errorf("%d calls: %q", len(said), said)
	}
	if _, err := os.Stat(filepath.Join(dir, "payroll/new.txt")); err == nil {
		t.Error("a file was written through the link")
	}
}
