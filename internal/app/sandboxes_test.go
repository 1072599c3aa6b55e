package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/api"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/workspace/sandboxed"
)

// WS2, WS5, WS6: in mode sandbox files and commands of a conversation are in one place,
// which the API shows too, which nobody else sees, and which comes back from its snapshot
// when it was removed by force.
func TestSandboxWorkspaceOfConversations(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	model.On(llmtest.UserContains("begin")).Steps(
		calls(t, "file_write", args{"path": "notes.md", "content": "the blue one"}),
		calls(t, "shell_execute", args{"command": "cat notes.md && echo by command > made.txt && echo kept > ~/home.txt"}),
		llmtest.Text("done"))
	model.On(llmtest.UserContains("recall")).Steps(
		calls(t, "file_list", args{}, "shell_execute", args{"command": "ls; cat made.txt; cat ~/home.txt"}),
		llmtest.Text("done"))
	h := newHouse(t, scripted(model, "guard: {level: off}\nworkspace: {mode: sandbox, isolation_scope: session}\n"))
	project := h.create("/projects", `{"name":"p"}`)
	first := h.create("/conversations", `{"title":"t","project_id":"`+project+`"}`)
	second := h.create("/conversations", `{"title":"t","project_id":"`+project+`"}`)
	status, results := h.ended(h.send(first, "begin"))
	if all := strings.Join(results, "\n"); status != "completed" || !strings.Contains(all, "the blue one") {
		t.Fatalf("the run %s: %s", status, all)
	}
	if names := model.Requests(llmtest.UserContains("begin"))[0].ToolNames(); slices.Contains(names,
		"agent_delegate") || !slices.Contains(names, "shell_execute") {
		t.Errorf("the model is offered %q", names)
	}
	_, results = h.ended(h.send(second, "recall"))
	if all := strings.Join(results, "\n"); strings.Contains(all, "notes.md") || strings.Contains(all, "kept") {
		t.Errorf("another conversation sees %s", all)
	}
	base := "/api/v1/projects/" + project
	if got := h.text(base + "/files/made.txt?conversation=" + first); got != "by command\n" {
		t.Errorf("the API shows %q", got)
	}
	if archive := h.text(base + "/archive?conversation=" + first); !strings.Contains(archive, "made.txt") {
		t.Error("the archive does not hold what the command made")
	}
	if status := h.call("POST", base+"/move?conversation="+first, `{"from":"made.txt","to":"moved.txt"}`,
		nil); status != 200 {
		t.Errorf("moving a file is %d", status)
	}
	if status := h.workspace(project, first); status.Mode != "sandbox" || !status.Executes ||
		status.IsolationScope != "session" || status.Sandbox.State != sandboxed.Running {
		t.Errorf("the sandbox in use is %+v, %+v", status, status.Sandbox)
	}
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(h.dir, "data", "sandboxes")); err != nil {
		t.Fatal(err)
	}
	h.start()
	if status := h.workspace(project, first); status.Sandbox.State != sandboxed.Stopped ||
		len(status.Sandbox.Snapshots) != 1 || status.Sandbox.LastGood == nil || status.Sandbox.LastGood.Size == 0 ||
		len(status.Sandbox.LastGood.SHA256) != 64 {
		t.Errorf("after the server stopped the sandbox is %+v", status.Sandbox)
	}
	if status := h.call("GET", base+"/workspace?conversation=nobodys", "", nil); status != 404 {
		t.Errorf("of an unknown conversation it is %d", status)
	}
	if got := h.text(base + "/files/moved.txt?conversation=" + first); got != "by command\n" {
		t.Errorf("after it was removed by force the API shows %q\n%s", got, h.log)
	}
	_, results = h.ended(h.send(first, "recall"))
	if all := strings.Join(results, "\n"); !strings.Contains(all, "kept") {
		t.Errorf("HOME is not restored: %s", all)
	}
	if status := h.call("DELETE", base, "", nil); status != 204 {
		t.Errorf("deleting the project is %d", status)
	}
	if left, err := os.ReadDir(filepath.Join(h.dir, "data", "sandboxes")); err != nil || len(left) != 0 {
		t.Errorf("after the project was deleted there is %v, %v", left, err)
	}
}

func (h *house) workspace(project, conversation string) *api.WorkspaceStatus {
	h.t.Helper()
	status := &api.WorkspaceStatus{Sandbox: &api.SandboxStatus{}}
	if code := h.call("GET", "/api/v1/projects/"+project+"/workspace?conversation="+conversation, "", status); code != 200 {
		h.t.Fatalf("the state of the workspace is %d", code)
	}
	return status
}
