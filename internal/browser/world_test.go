package browser

import (
	"context"
	"embed"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

//go:embed testdata/site
var siteFiles embed.FS

// world is a browser, a web site that it may reach, and a project.
type world struct {
	t            testing.TB
	service      *Service
	site         *httptest.Server
	mux          *http.ServeMux
	dir          string // of the project
	locator      *services.Locator
	conversation string
	changing     *changing
}

// changing are settings that a test changes.
type changing struct {
	mu       sync.Mutex
	settings Settings
}

func (c *changing) current() Settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settings
}

var sandboxPolicy = sync.OnceValues(func() (sandbox.Policy, error) {
	return sandbox.Open(context.Background(), sandbox.Settings{Policy: "sandbox"})
})

// shared is the one browser of the tests that do it no harm.
var shared = sync.OnceValues(func() (*Service, *changing) {
	dir, err := os.MkdirTemp("", "browser-test-")
	if err != nil {
		panic(err)
	}
	return newService(dir)
})

func newService(dir string) (*Service, *changing) {
	c := &changing{settings: Settings{Enabled: true, Timeout: time.Minute, IdleTimeout: time.Hour,
		Conversations: 50, Tabs: 4, Memory: 2 << 30, PageMemory: 256 << 20, SnapshotLimit: 24 << 10, Download: 1 << 20}}
	return New(Options{Dir: dir, Settings: c.current, Policy: func(context.Context) (sandbox.Policy, error) {
		return sandboxPolicy()
	}}), c
}

// newWorld is a world with a browser that others use as well. It skips the test
// where there is no Chromium or no sandbox.
func newWorld(t testing.TB) *world {
	t.Helper()
	need(t)
	w := &world{t: t}
	w.service, w.changing = shared()
	w.build()
	return w
}

// newOwnWorld has a browser of its own.
func newOwnWorld(t testing.TB) *world {
	t.Helper()
	need(t)
	w := &world{t: t}
	w.service, w.changing = newService(t.TempDir())
	t.Cleanup(w.service.Close)
	w.build()
	return w
}

func need(t testing.TB) {
	t.Helper()
	_, err := Find("")
	if err == nil {
		_, err = sandboxPolicy()
	}
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("NOT TESTED: ", err)
	}
}

func (w *world) build() {
	w.mux, w.locator, w.conversation = http.NewServeMux(), &services.Locator{}, w.t.Name()
	files, err := fs.Sub(siteFiles, "testdata/site")
	if err != nil {
		w.t.Fatal(err)
	}
	w.mux.Handle("/", http.FileServerFS(files))
	w.site = httptest.NewServer(w.mux)
	w.t.Cleanup(w.site.Close)
	w.change(func(s *Settings) {
		s.Network.AllowedHosts = append(slices.Clone(s.Network.AllowedHosts), w.host())
	})
	root := w.t.TempDir()
	w.dir = filepath.Join(root, "p")
	projects, err := workspace.NewProjects(workspace.Settings{Root: root, Limits: workspace.Limits{
		MaxFileSize: 1 << 20, MaxFiles: 100, MaxTotalSize: 1 << 24, MaxDepth: 10}},
		func(context.Context, string) (workspace.Location, error) { return workspace.Location{}, nil })
	if err != nil {
		w.t.Fatal(err)
	}
	services.Register[workspace.Opener](w.locator, workspace.Key, projects)
	if _, err := projects.Open(w.t.Context(), "p"); err != nil { // makes the directory
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.service.EndConversation(w.conversation) })
}

func (w *world) host() string { return strings.TrimPrefix(w.site.URL, "http://") }

// change changes the settings.
func (w *world) change(f func(*Settings)) {
	w.changing.mu.Lock()
	defer w.changing.mu.Unlock()
	f(&w.changing.settings)
}

// try performs an action in a conversation.
func (w *world) try(conversation string, action tools.BrowserAction) (tools.BrowserResult, error) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	if strings.HasPrefix(action.URL, "/") {
		action.URL = w.site.URL + action.URL
	}
	return w.service.Do(ctx, tools.Call{ConversationID: conversation, AgentPath: "main", ProjectID: "p",
		Services: w.locator}, action)
}

// do is try in the one conversation of a test, where it has to succeed.
func (w *world) do(action tools.BrowserAction) tools.BrowserResult {
	w.t.Helper()
	result, err := w.try(w.conversation, action)
	if err != nil {
		w.t.Fatalf("%+v: %v", action, err)
	}
	return result
}

func (w *world) open(path string) tools.BrowserResult {
	w.t.Helper()
	return w.do(tools.BrowserAction{Op: "open", URL: path})
}

// ref is the reference in the first line of a snapshot that holds a text.
func ref(t testing.TB, result tools.BrowserResult, text string) string {
	t.Helper()
	for line := range strings.Lines(result.Snapshot) {
		if found := refPattern.FindStringSubmatch(line); found != nil && strings.Contains(line, text) {
			return found[1]
		}
	}
	t.Fatalf("no line of the snapshot has %q and a reference:\n%s", text, result.Snapshot)
	return ""
}

var refPattern = regexp.MustCompile(`\[(e\d+)\]`)

// shows fails where a snapshot lacks one of the texts.
func shows(t testing.TB, result tools.BrowserResult, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(result.Snapshot, text) {
			t.Errorf("the snapshot lacks %q:\n%s", text, result.Snapshot)
		}
	}
}

// fails fails where an error has another code or lacks a text.
func fails(t testing.TB, err error, code, text string) {
	t.Helper()
	if tools.CodeOf(err) != code || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v (%s), want %s with %q", err, tools.CodeOf(err), code, text)
	}
}
