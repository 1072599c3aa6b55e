package programs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
	_ "nanoclaw/internal/tools/builtin" // shell_execute and execute_python
	"nanoclaw/internal/workspace"
)

// place is a service over one project, and what it told.
type place struct {
	*Service
	mu        sync.Mutex
	anomalies []string // tool and kind
	started   []string // policies
}

func (p *place) told(list *[]string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(slices.Values(*list))
}

// newPlace is a service with a configuration, and a call of a tool there.
func newPlace(t *testing.T, yaml string) (*place, tools.Call) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	live, err := config.Open(config.Source{Path: file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := live.Current()
	projects, err := workspace.NewProjects(workspace.Settings{Root: filepath.Join(dir, "w"), DataDir: filepath.Join(dir,
		"d"), Limits: workspace.LimitsFrom(c.Workspace)},
		func(context.Context, string) (workspace.Location, error) { return workspace.Location{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	p := &place{}
	add := func(list *[]string, text string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		*list = append(*list, text)
	}
	p.Service, err = New(Options{Live: live, Projects: projects,
		Anomaly: func(call tools.Call, kind, _ string) { add(&p.anomalies, call.Tool+" "+kind) },
		Started: func(policy string, err error) { add(&p.started, fmt.Sprint(policy, " ", err)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	l := &services.Locator{}
	services.Register(l, tools.ShellKey, p.Shell())
	services.Register(l, tools.PythonKey, p.Python())
	services.Register[workspace.Opener](l, workspace.Key, projects)
	return p, tools.Call{ConversationID: "c", AgentPath: "main", ProjectID: "p1", Services: l, OutputLimit: 50 << 10}
}

func executeTool(t *testing.T, name string, call tools.Call, args map[string]any) tools.Result {
	t.Helper()
	return tools.Default().Execute(t.Context(), name, call, args)
}

// SH1, SH7, BT10: the tool runs commands in the session of its conversation and agent.
func TestShellExecuteRunsInTheProject(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"host", "sandbox"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			l, call := newPlace(t, "shell: {policy: "+policy+"}\n")
			if why := l.ToolOff(t.Context(), "shell_execute"); why != "" {
				if os.Getenv("CI") == "true" || !strings.Contains(why, "bubblewrap") {
					t.Fatal(why)
				}
				t.Skip("NOT TESTED: " + why)
			}
			if got := executeTool(t, "shell_execute", call,
				map[string]any{"command": "mkdir -p sub; x=kept; echo hi > sub/f; false"}); !got.Success {
				t.Fatalf("%+v", got)
			}
			got := executeTool(t, "shell_execute", call, map[string]any{"command": "cat f; echo $x",
				"cwd": "sub"})
			if text := encode(t, got); !got.Success || !strings.Contains(text, `"stdout":"hi\nkept\n"`) ||
				!strings.Contains(text, `sub","duration"`) {
				t.Errorf("%s", text)
			}
			other := call
			other.AgentPath = "main/helper"
			if text := encode(t, executeTool(t, "shell_execute", other,
				map[string]any{"command": "echo [$x]"})); !strings.Contains(text, `"stdout":"[]\n"`) {
				t.Errorf("another agent has the same session: %s", text)
			}
			if got := executeTool(t, "shell_execute", call, map[string]any{"command": "echo part; sleep 100",
				"timeout": 0.3}); got.Success || got.Code != "timeout" || !strings.Contains(encode(t, got), `part`) {
				t.Errorf("%+v", got)
			}
			call.ID = "call1"
			if text := encode(t, executeTool(t, "shell_execute", call,
				map[string]any{"command": "seq 30000"})); !strings.Contains(text,
				`"stdout_file":".tool-output/call1.stdout.txt"`) {
				t.Errorf("%.300s", text[max(len(text)-300, 0):])
			}
			if text := encode(t, executeTool(t, "file_read", call,
				map[string]any{"path": ".tool-output/call1.stdout.txt",
					"start_line": 29999})); !strings.Contains(text, `29999\n30000`) {
				t.Errorf("the file does not hold the output: %s", text)
			}
			if got := executeTool(t, "shell_execute", call,
				map[string]any{"command": "ls -a", "restart": true}); strings.Contains(encode(t, got),
				".tool-output") {
				t.Errorf("the output lies in the project: %s", encode(t, got))
			}
			if got := executeTool(t, "shell_execute", call,
				map[string]any{"command": "rm -rf / --no-preserve-root"}); got.Code != "blocked" {
				t.Errorf("%+v", got)
			}
			if got := executeTool(t, "shell_execute", call,
				map[string]any{"command": "echo", "timeout": 86400}); got.Code != "invalid_arguments" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// SH2: shell.allow_hosts holds for the tool.
func TestShellExecuteReachesTheAllowedHosts(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, "reached")
	}))
	defer server.Close()
	get := map[string]any{"command": `python3 -c 'import urllib.request as u; print(u.urlopen("` + server.URL +
		`").read())'`}
	for hosts, want := range map[string]bool{"": false, "example.org": false, server.Listener.Addr().String(): true} {
		l, call := newPlace(t, "shell: {policy: sandbox, allow_hosts: ["+quoted(hosts)+"]}\n")
		if why := l.ToolOff(t.Context(), "shell_execute"); why != "" {
			if os.Getenv("CI") == "true" {
				t.Fatal(why)
			}
			t.Skip("NOT TESTED: " + why)
		}
		if text := encode(t, executeTool(t, "shell_execute", call, get)); strings.Contains(text, "b'reached'") != want {
			t.Errorf("%q: %s", hosts, text)
		}
	}
}

func quoted(text string) string {
	if text == "" {
		return ""
	}
	return `"` + text + `"`
}

// BT5: the tool runs Python at a level that the configuration allows.
func TestExecutePythonKeepsToTheLoosestLevel(t *testing.T) {
	t.Parallel()
	l, call := newPlace(t,
		"code_execution: {allow_host: true, extra_allowed_modules: {standard: [colorsys]}}\n")
	if why := l.ToolOff(t.Context(), "execute_python"); why != "" {
		t.Fatal(why)
	}
	if got := executeTool(t, "execute_python", call,
		map[string]any{"code": "import colorsys\nprint(1)\n6*7"}); !got.Success || !strings.Contains(encode(t, got),
		`"stdout":"1\n","stderr":"","value":"42"`) {
		t.Errorf("%s", encode(t, got))
	}
	if got := executeTool(t, "execute_python", call, map[string]any{"code": "1",
		"strictness": "lenient"}); got.Code != "blocked" {
		t.Errorf("%+v", got)
	}
	if got := executeTool(t, "execute_python", call, map[string]any{"code": "import os"}); got.Code != "blocked" ||
		!strings.Contains(got.Error, "module os") {
		t.Errorf("%+v", got)
	}
	if got := executeTool(t, "execute_python", call,
		map[string]any{"code": "print('before')\n1/0"}); got.Code != "python_error" || !strings.Contains(encode(t, got),
		`before`) {
		t.Errorf("%s", encode(t, got))
	}
}

// BT5: figures come back as files of the project.
func TestExecutePythonKeepsFigures(t *testing.T) {
	t.Parallel()
	l, call := newPlace(t, "code_execution: {allow_host: true, loosest_strictness: lenient}\n")
	if why := l.ToolOff(t.Context(), "execute_python"); why != "" {
		t.Fatal(why)
	}
	call.ID = "call1"
	code := `
import os, sys
for name, text in {"__init__": "", "figure": "class Figure:\n    def savefig(self, f, format=None): open(f, 'wb').write(b'picture')\n"}.items():
    os.makedirs("matplotlib", exist_ok=True)
    open(f"matplotlib/{name}.py", "w").write(text)
sys.path.insert(0, ".")
from matplotlib.figure import Figure
Figure().savefig("sales of June.png"); Figure().savefig("page.html")`
	args := map[string]any{"code": code, "strictness": "lenient"}
	text := encode(t, executeTool(t, "execute_python", call, args))
	if !strings.Contains(text,
		`"attachments":[{"name":"1-sales-of-June.png","content_type":"image/png","size":7,"path":".tool-output/call1/1-sales-of-June.png"}]`) || !strings.Contains(text, "1 figures are not attached") {
		t.Errorf("%s", text)
	}
	read := map[string]any{"path": ".tool-output/call1/1-sales-of-June.png"}
	if text := encode(t, executeTool(t, "file_read", call, read)); !strings.Contains(text, `picture`) {
		t.Errorf("%s", text)
	}
}

// WS0: neither the shell nor Python reads a file with a denied name, also one that
// came while the session was open, and what they make under one is taken away.
func TestDeniedNamesHoldForCommandsAndCode(t *testing.T) {
	t.Parallel()
	l, call := newPlace(t,
		"workspace: {denied_names: [\".env\", \"*.pem\"]}\nshell: {policy: sandbox}\ncode_execution: "+
			"{loosest_strictness: lenient}\n")
	if why := l.ToolOff(t.Context(), "shell_execute"); why != "" {
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip("NOT TESTED: " + why)
	}
	shell := func(command string) string {
		t.Helper()
		return encode(t, executeTool(t, "shell_execute", call, map[string]any{"command": command}))
	}
	dir := strings.TrimSpace(func() string {
		files, err := services.Get(call.Services, workspace.Key)
		if err != nil {
			t.Fatal(err)
		}
		local, err := files.Open(t.Context(), "p1")
		if err != nil {
			t.Fatal(err)
		}
		return local.(*workspace.Local).Dir()
	}())
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("HIDDEN"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".env")
	if text := shell("cat .env; mkdir sub; ls"); strings.Contains(text, "HIDDEN") {
		t.Errorf("the shell read it: %s", text)
	}
	write("late.pem")
	if text := shell("cat late.pem .env; cat *"); strings.Contains(text, "HIDDEN") {
		t.Errorf("the shell read what came later: %s", text)
	}
	code := map[string]any{"code": "try:\n    print(open('late.pem').read())\nexcept OSError as e:\n    " +
		"print('refused', e)", "strictness": "lenient"}
	if text := encode(t, executeTool(t, "execute_python", call, code)); strings.Contains(text, "HIDDEN") ||
		!strings.Contains(text, "refused") {
		t.Errorf("Python read it: %s", text)
	}
	if text := shell("echo made > sub/made.pem; echo ok > sub/fine"); !strings.Contains(text, "moved to the trash") ||
		!strings.Contains(text, "sub/made.pem") {
		t.Errorf("nobody was told: %s", text)
	}
	for name, there := range map[string]bool{".env": true, "late.pem": true, "sub/made.pem": false, "sub/fine": true} {
		if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// SH9: what goes wrong with commands and code is told, by tool and kind; a status
// that is not zero, and an exception, are nothing wrong.
func TestWhatGoesWrongWithCommandsIsTold(t *testing.T) {
	t.Parallel()
	l, call := newPlace(t,
		"shell: {policy: host, file_size: 64KiB}\ncode_execution: {allow_host: true, memory: 64MiB, timeouts: "+
			"{standard: 1s}}\n")
	executeTool(t, "shell_execute", call, map[string]any{"command": "exit 3"})
	executeTool(t, "shell_execute", call, map[string]any{"command": "sleep 100", "timeout": 0.2})
	executeTool(t, "shell_execute", call, map[string]any{"command": "head -c 200K /dev/zero > big"})
	executeTool(t, "execute_python", call, map[string]any{"code": "1/0"})
	executeTool(t, "execute_python", call, map[string]any{"code": "[0] * (1 << 30)"})
	executeTool(t, "execute_python", call, map[string]any{"code": "while True: pass"})
	if got, want := l.told(&l.anomalies), []string{
		"execute_python resource_limit", "execute_python timeout", "shell_execute resource_limit",
		"shell_execute timeout",
	}; !slices.Equal(got, want) {
		t.Errorf("told: %q", got)
	}
	if started := l.told(&l.started); !slices.Contains(started, "host <nil>") {
		t.Errorf("the starts of shells and interpreters are not told: %q", started)
	}
}

// Issue 10, point 13: a HOME that grows over its limit stops the command, and is
// emptied before the next session, also where programs took away their own rights.
func TestAHomeOverItsLimitIsEmptied(t *testing.T) {
	t.Parallel()
	_, call := newPlace(t, "shell: {policy: host, home_size: 1MiB}\nguard: {level: 'off'}\n")
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
	l, call := newPlace(t,
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
	if got := l.told(&l.anomalies); !slices.Contains(got, "shell_execute failure") {
		t.Errorf("the exit status is not told: %q", got)
	}
}

// SH2: a configuration that refuses execution offers no tool.
func TestToolsThatCannotRunAreNotOffered(t *testing.T) {
	t.Parallel()
	l, _ := newPlace(t, "workspace: {local_shell: false}\ncode_execution: {enabled: false}\n")
	for _, tool := range []string{"shell_execute", "execute_python"} {
		if l.ToolOff(t.Context(), tool) == "" {
			t.Errorf("%s is offered", tool)
		}
	}
	if l.ToolOff(t.Context(), "file_read") != "" {
		t.Error("file_read is not offered")
	}
	if _, err := (&policyCache{}).find(t.Context(), shellPolicy(&config.Config{Environment: "production",
		Shell: config.Shell{Policy: "host"}})); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("host in production: %v", err)
	}
}

func encode(t *testing.T, result tools.Result) string {
	t.Helper()
	data, err := result.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
