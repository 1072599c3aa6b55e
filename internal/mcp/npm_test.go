package mcp

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// npmServer is a published MCP server that scripts/setup-mcp.sh installed.
func npmServer(t *testing.T, name string, args ...string) config.MCPServer {
	t.Helper()
	program, err := filepath.Abs(filepath.Join("..", "..", "build", "mcp", "node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is missing: run scripts/setup-mcp.sh", program)
		}
		t.Skipf("%s is not installed: run scripts/setup-mcp.sh", name)
	}
	return config.MCPServer{Command: program, Args: args, Timeout: config.Duration(time.Minute)}
}

// TS7: everything that server-everything offers to a client like ours is listed.
func TestServerEverythingIsListedCompletely(t *testing.T) {
	t.Parallel()
	server := npmServer(t, "mcp-server-everything")
	client := mcp.NewClient(&mcp.Implementation{Name: "plain", Version: "1"},
		&mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	direct, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command(server.Command)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	var want []string
	for tool, err := range direct.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, ToolName("everything", tool.Name))
	}
	want = append(want, "mcp__everything__list_resources", "mcp__everything__read_resource")
	slices.Sort(want)
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"everything": server})
	status := w.ready("everything")
	if !slices.Equal(status.Tools, want) || len(want) < 10 || len(status.Problems) != 0 {
		t.Errorf("tools %v\nwant %v\nproblems %v", status.Tools, want, status.Problems)
	}
}

// TS7: the tools of server-everything work: text, numbers, an image, structure, resources.
func TestServerEverythingAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"everything": npmServer(t, "mcp-server-everything")})
	w.ready("everything")
	if got := w.call(t.Context(), "mcp__everything__echo", tools.Call{},
		map[string]any{"message": "grüße"}); got.text() != "Echo: grüße" {
		t.Errorf("echo answered %+v", got)
	}
	if got := w.call(t.Context(), "mcp__everything__get-sum", tools.Call{}, map[string]any{"a": 2.5,
		"b": 40}); !strings.Contains(got.text(), "42.5") {
		t.Errorf("sum answered %+v", got)
	}
	if got := w.call(t.Context(), "mcp__everything__get-sum", tools.Call{},
		map[string]any{"a": "two"}); got.Code != tools.CodeInvalidArguments {
		t.Errorf("sum of nonsense answered %+v", got)
	}
	image := w.call(t.Context(), "mcp__everything__get-tiny-image", tools.Call{}, nil)
	i := slices.IndexFunc(image.Data.Content, func(c content) bool { return c.Type == "image" })
	if i < 0 {
		t.Fatalf("image answered %+v", image)
	}
	if c := image.Data.Content[i]; c.MIMEType != "image/png" || c.Size == 0 || c.Omitted == "" {
		t.Errorf("an image that nobody keeps: %+v", c)
	}
	structured := w.call(t.Context(), "mcp__everything__get-structured-content", tools.Call{},
		map[string]any{"location": "Chicago"})
	if fields, ok := structured.Data.Structured.(map[string]any); !ok || fields["temperature"] == nil {
		t.Errorf("structured content answered %+v", structured)
	}
	links := w.call(t.Context(), "mcp__everything__get-resource-links", tools.Call{}, map[string]any{"count": 2})
	if !slices.ContainsFunc(links.Data.Content, func(c content) bool {
		return c.Type == "resource_link" &&
			c.URI != ""
	}) {
		t.Errorf("resource links answered %+v", links)
	}
}

// TS7: a long operation reports its progress.
func TestServerEverythingReportsProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"everything": npmServer(t, "mcp-server-everything")})
	w.ready("everything")
	var fractions []float64
	call := tools.Call{Progress: func(_ string, fraction float64) { fractions = append(fractions, fraction) }}
	got := w.call(t.Context(), "mcp__everything__trigger-long-running-operation", call, map[string]any{"duration": 0.5,
		"steps": 4})
	if !got.Success || len(fractions) < 2 || !slices.IsSorted(fractions) || fractions[0] <= 0 || fractions[0] >= 1 {
		t.Errorf("progress %v, then %+v", fractions, got)
	}
}

// TS7: kill -9 in the middle of a call: the call says so, and the server is back.
func TestServerEverythingIsKilledInTheMiddleOfACall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"everything": npmServer(t, "mcp-server-everything")})
	w.ready("everything")
	kill := func() {
		w.servers.mu.Lock()
		defer w.servers.mu.Unlock()
		if err := syscall.Kill(w.servers.byName["everything"].session.link.process.PID(), syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	once := make(chan struct{}, 1)
	once <- struct{}{}
	call := tools.Call{Progress: func(string, float64) {
		select {
		case <-once:
			kill()
		default:
		}
	}}
	got := w.call(t.Context(), "mcp__everything__trigger-long-running-operation", call, map[string]any{"duration": 60,
		"steps": 600})
	if got.Success || !strings.Contains(got.Error, "was lost during this call") || !strings.Contains(got.Error,
		"killed") {
		t.Errorf("the call answered %+v", got)
	}
	w.await("everything", "back", func(tools.MCPServerStatus) bool {
		return w.call(t.Context(), "mcp__everything__echo", tools.Call{},
			map[string]any{"message": "again"}).text() == "Echo: again"
	})
}

// TS7: files are written and read through server-filesystem, and a path outside is refused by it.
func TestServerFilesystemWorksOnItsDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"files": npmServer(t, "mcp-server-filesystem", dir)})
	status := w.ready("files")
	if len(status.Tools) < 8 || len(status.Problems) != 0 {
		t.Errorf("status %+v", status)
	}
	path := filepath.Join(dir, "note.txt")
	write := func(text string) answered {
		return w.call(t.Context(), "mcp__files__write_file", tools.Call{}, map[string]any{"path": path,
			"content": text})
	}
	for i := range 2 {
		text := "version " + strconv.Itoa(i)
		if got := write(text); !got.Success {
			t.Fatalf("write answered %+v", got)
		}
		got := w.call(context.WithoutCancel(t.Context()), "mcp__files__read_text_file", tools.Call{},
			map[string]any{"path": path})
		structured, _ := got.Data.Structured.(map[string]any)
		if !strings.Contains(got.text(), text) && structured["content"] != text {
			t.Errorf("read answered %+v", got)
		}
	}
	for _, name := range status.Tools { // some of them declare readOnlyHint
		if tool, _ := w.registry.Get(name); tool.Effect != tools.Writes {
			t.Errorf("%s is %s: a hint is believed that nobody trusted", name, tool.Effect)
		}
	}
	if got := w.call(t.Context(), "mcp__files__read_text_file", tools.Call{},
		map[string]any{"path": "/etc/passwd"}); got.Success || !strings.Contains(got.Error, "denied") {
		t.Errorf("a path outside answered %+v", got)
	}
}
