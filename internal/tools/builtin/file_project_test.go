package builtin

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// desk calls the file tools on a project of its own, with arguments as a model
// sends them.
type desk struct {
	root string
	call tools.Call
}

type oneProject struct{ files workspace.Filesystem }

func (p oneProject) Open(context.Context, string) (workspace.Filesystem, error) { return p.files, nil }

func newDesk(t *testing.T, limits ...workspace.Limits) *desk {
	t.Helper()
	d := &desk{root: t.TempDir(), call: tools.Call{ProjectID: "p1", Services: &services.Locator{}}}
	files := workspace.NewLocal(d.root, func() workspace.Limits { return append(limits, workspace.Limits{})[0] })
	services.Register[workspace.Opener](d.call.Services, workspace.Key, oneProject{files})
	return d
}

// put writes a file of the project behind the tools' back.
func (d *desk) put(t *testing.T, path, content string) {
	t.Helper()
	full := filepath.Join(d.root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// want compares a file with what it should hold.
func (d *desk) want(t *testing.T, path, content string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(d.root, path))
	if err != nil || string(got) != content {
		t.Fatalf("%q holds %q, %v; want %q", path, got, err, content)
	}
}

func (d *desk) prepare(t *testing.T, name string, args map[string]any) (*tools.Tool, json.RawMessage, error) {
	t.Helper()
	tool, ok := tools.Default().Get(name)
	if !ok {
		t.Fatalf("there is no tool %s", name)
	}
	sent, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	parsed, _, err := tools.ParseArguments(string(sent))
	if err != nil {
		return nil, nil, err
	}
	if err := tool.Validate(parsed); err != nil {
		return nil, nil, err
	}
	encoded, err := json.Marshal(parsed)
	if err != nil {
		t.Fatal(err)
	}
	return tool, encoded, nil
}

func (d *desk) run(t *testing.T, name string, args map[string]any) (any, error) {
	t.Helper()
	tool, encoded, err := d.prepare(t, name, args)
	if err != nil {
		return nil, err
	}
	return tool.Run(t.Context(), d.call, encoded)
}

func (d *desk) stamp(t *testing.T, name string, args map[string]any) string {
	t.Helper()
	tool, encoded, err := d.prepare(t, name, args)
	if err != nil {
		t.Fatal(err)
	}
	stamp, err := tool.Stamp(t.Context(), d.call, encoded)
	if err != nil {
		t.Fatal(err)
	}
	return stamp
}

// must runs a tool that has to succeed, and returns its result as type R.
func must[R any](t *testing.T, d *desk, name string, args map[string]any) R {
	t.Helper()
	result, err := d.run(t, name, args)
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return result.(R)
}

// fail runs a tool that has to fail with a code, and returns the message.
func (d *desk) fail(t *testing.T, code, name string, args map[string]any) string {
	t.Helper()
	result, err := d.run(t, name, args)
	if err == nil {
		t.Fatalf("%s %v worked: %+v", name, args, result)
	}
	if got := tools.CodeOf(err); got != code {
		t.Fatalf("%s %v failed with %s (%v), want %s", name, args, got, err, code)
	}
	return err.Error()
}

// fileCalls is one valid call of every file tool on a path.
func fileCalls(path string) map[string]map[string]any {
	return map[string]map[string]any{
		"file_read":   {"path": path},
		"file_write":  {"path": path, "content": "x"},
		"file_append": {"path": path, "content": "x"},
		"file_edit":   {"path": path, "old_string": "a", "new_string": "b"},
		"file_delete": {"path": path, "recursive": true},
		"file_move":   {"from": path, "to": "elsewhere"},
		"file_list":   {"path": path},
		"file_exists": {"path": path},
		"file_mkdir":  {"path": path},
		"file_grep":   {"pattern": "x", "path": path},
		"file_glob":   {"pattern": "*", "path": path},
	}
}

func TestBT6EveryFileToolIsRegisteredWithItsEffect(t *testing.T) {
	t.Parallel()
	for name := range fileCalls("x") {
		tool, ok := tools.Default().Get(name)
		if !ok {
			t.Errorf("%s is missing", name)
			continue
		}
		writes := strings.Contains("file_write file_append file_edit file_delete file_move file_mkdir", name)
		if (tool.Effect == tools.Writes) != writes || (tool.Effect == tools.Reads) == writes ||
			(tool.Stamp != nil) == writes {
			t.Errorf("%s has the effect %s", name, tool.Effect)
		}
		if tool.Category != "file" || tool.Schema.Properties["project_id"] != nil || len(tool.Injected) != 1 {
			t.Errorf("%s: category %q, injected %v", name, tool.Category, tool.Injected)
		}
	}
}

func TestBT6WithoutAProjectEveryFileToolSaysSo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.call.ProjectID = ""
	for name, args := range fileCalls("x") {
		tool, _, err := d.prepare(t, name, args)
		if err != nil {
			t.Fatal(err)
		}
		encoded, _ := json.Marshal(args)
		_, err = tool.Run(t.Context(), d.call, encoded)
		if tools.CodeOf(err) != tools.CodeInvalidArguments || !strings.Contains(err.Error(), "no project") {
			t.Errorf("%s ended with %v", name, err)
		}
	}
}

// FS1
func TestFS1NoFileToolLeavesTheProject(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	outside := filepath.Join(filepath.Dir(d.root), "outside.txt")
	if err := os.WriteFile(outside, []byte("canary"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../outside.txt", filepath.Join(d.root, "link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../outside.txt", outside, `..\outside.txt`, "a/../../outside.txt", "link/x",
		"a\x00b", workspace.ReservedDir + "/x"} {
		for name, args := range fileCalls(path) {
			d.fail(t, "access_denied", name, args)
		}
		d.fail(t, "access_denied", "file_move", map[string]any{"from": "link", "to": path})
	}
	d.fail(t, "access_denied", "file_glob", map[string]any{"pattern": "../*"})
	d.fail(t, "access_denied", "file_read", map[string]any{"path": "link"})
	if content, err := os.ReadFile(outside); err != nil || string(content) != "canary" {
		t.Errorf("the canary is %q, %v", content, err)
	}
}

// FS2
func TestFS2FailuresKeepTheirCodes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, workspace.Limits{MaxFileSize: 100, MaxFiles: 3})
	d.put(t, "dir/file", "text")
	d.put(t, "big", strings.Repeat("line\n", 50))
	for _, c := range []struct {
		code, tool string
		args       map[string]any
	}{
		{"not_found", "file_read", map[string]any{"path": "missing"}},
		{"not_found", "file_edit", map[string]any{"path": "missing", "old_string": "a", "new_string": "b"}},
		{"not_found", "file_delete", map[string]any{"path": "missing"}},
		{"not_found", "file_list", map[string]any{"path": "missing"}},
		{"not_a_file", "file_read", map[string]any{"path": "dir"}},
		{"not_a_file", "file_write", map[string]any{"path": "dir", "content": ""}},
		{"not_a_file", "file_delete", map[string]any{"path": "dir"}},
		{"not_a_directory", "file_list", map[string]any{"path": "big"}},
		{"too_large", "file_read", map[string]any{"path": "big"}},
		{"too_large", "file_write", map[string]any{"path": "new", "content": strings.Repeat("x", 101)}},
		{"too_large", "file_append", map[string]any{"path": "dir/file", "content": strings.Repeat("x", 97)}},
		{"already_exists", "file_move", map[string]any{"from": "big", "to": "dir/file"}},
		{"already_exists", "file_mkdir", map[string]any{"path": "big"}},
		{"access_denied", "file_delete", map[string]any{"path": "/", "recursive": true}},
		{"invalid_arguments", "file_grep", map[string]any{"pattern": "("}},
		{"invalid_arguments", "file_list", map[string]any{"pattern": "a/*"}},
		{"invalid_arguments", "file_read", map[string]any{"path": "dir/file", "start_line": 3, "end_line": 2}},
		{"invalid_arguments", "file_read", map[string]any{"path": "dir/file", "start_line": 9}},
		{"invalid_arguments", "file_read", map[string]any{"path": "dir/file", "encoding": "klingon"}},
		{"invalid_arguments", "file_read", map[string]any{"path": "dir/file", "start_line": 0}},
		{"invalid_arguments", "file_write", map[string]any{"path": "x", "content": "", "mode": "x"}},
		{"invalid_arguments", "file_write", map[string]any{"content": ""}},
	} {
		d.fail(t, c.code, c.tool, c.args)
	}
	must[fileWriteResult](t, d, "file_write", map[string]any{"path": "third", "content": "x"})
	d.fail(t, "quota_exceeded", "file_write", map[string]any{"path": "fourth", "content": "x"})
	if part := must[fileReadResult](t, d, "file_read", map[string]any{"path": "big",
		"start_line": 49}); part.Content != "line\nline\n" {
		t.Errorf("a part of the large file is %+v", part)
	}
}
