package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/agent"
	"nanoclaw/internal/config"
	"nanoclaw/internal/executor"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/llm/openai"
	"nanoclaw/internal/models"
	"nanoclaw/internal/process"
	"nanoclaw/internal/redact"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/services"
	"nanoclaw/internal/store"
	"nanoclaw/internal/store/storetest"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/triggers"
	"nanoclaw/internal/workspace"
)

// house is the whole backend behind a real HTTP server: a store, an event log,
// runs, projects, and a scripted model.
type house struct {
	t        testing.TB
	dir      string
	database store.Options
	roots    string // a directory below which projects may have a path
	model    *llmtest.Server
	store    *store.Store
	log      *eventlog.Log
	runs     *runs.Service
	live     *config.Live
	page     fs.FS
	server   *server
	web      *httptest.Server
	ready    func(context.Context) []Check

	readDocument sync.Once
	documentText string
	accounts     *accounts.Service // of auth_mode multi
	token        string            // goes with every request that brings no Authorization; empty: none
	caller       process.Caller    // who the API takes its clients for

	ahead atomic.Int64 // how far the store's clock, and with it that of accounts, is ahead

	mu     sync.Mutex
	logged bytes.Buffer // the log, from level debug
}

// Write makes the house the log's target.
func (h *house) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.logged.Write(p)
}

func (h *house) logText() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.logged.String()
}

// pass lets time pass for what expires.
func (h *house) pass(d time.Duration) { h.ahead.Add(int64(d)) }

type setting func(h *house, c *config.Config)

func newHouse(t testing.TB, settings ...setting) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), roots: t.TempDir(), caller: process.Outside,
		ready: func(context.Context) []Check { return []Check{{Name: "database"}} }, page: fstest.MapFS{
			"index.html":            {Data: []byte("<!doctype html><div id=app></div>")},
			"assets/app-1234.js":    {Data: []byte("console.log('plain')")},
			"assets/app-1234.js.gz": {Data: []byte("gzipped")},
			"icon.svg":              {Data: []byte("<svg/>")},
		}}
	h.model = llmtest.NewServer(t)
	h.database = storetest.Options(t, h.dir)
	h.database.Now = func() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }
	c := config.Default()
	c.DataDir, c.WorkspaceRoot, c.ProjectRoots = filepath.Join(h.dir, "data"), filepath.Join(h.dir, "projects"),
		[]string{h.roots}
	c.Agents = []config.Agent{{ID: "writer", Name: "Writer", Description: "Writes."}}
	c.Tools = map[string]config.ToolSetting{"off": {Disabled: true}}
	h.live = config.Fixed(c)
	for _, set := range settings {
		set(h, c)
	}
	h.open()
	return h
}

func (h *house) open() {
	h.t.Helper()
	ctx := h.t.Context()
	must := func(err error) {
		h.t.Helper()
		if err != nil {
			h.t.Fatal(err)
		}
	}
	var err error
	h.store, err = store.Open(ctx, h.database)
	must(err)
	_, err = h.store.EnsureLocalUser(ctx)
	must(err)
	h.log, err = eventlog.Open(ctx, eventlog.Options{Dir: filepath.Join(h.dir, "nats")})
	must(err)
	redactor, err := redact.New(redact.Options{ValuesOnly: true})
	must(err)
	logger := slog.New(slog.NewTextHandler(h, &slog.HandlerOptions{Level: slog.LevelDebug}))
	registry := tools.NewRegistry()
	registry.Register(tools.Define("echo", "say it again", func(_ context.Context, _ tools.Call, args echoArgs) (string,
		error) {
		return args.Text, nil
	}, tools.Effect(tools.Pure), tools.Category("text")))
	registry.Register(tools.Define("off", "is turned off", func(context.Context, tools.Call, struct{}) (string, error) {
		return "", nil
	}, tools.Effect(tools.Pure), tools.Category("text")))
	projects, err := workspace.NewProjects(workspace.SettingsFrom(h.live.Current()), func(ctx context.Context,
		id string) (workspace.Location, error) {
		project, err := h.store.GetProject(ctx, models.LocalUserID, id)
		if err != nil {
			return workspace.Location{}, err
		}
		return workspace.Location{Path: project.Path}, nil
	})
	must(err)
	h.runs = runs.New(runs.Options{
		Store: h.store, Log: h.log, Registry: registry, Services: &services.Locator{}, Models: h,
		Loop: &agent.Loop{Executor: executor.New(executor.Options{Registry: registry, Guard: askingGuard{},
			Redact: redactor.String, Logger: logger})},
		Settings: func() runs.Settings {
			return runs.Settings{Lease: 10 * time.Second, DeltaInterval: time.Millisecond, MaxAttempts: 5,
				MaxIterations: 10,
				SubAgents: agent.Limits{MaxIterations: 3, MaxConcurrency: 3, MaxTasks: 5,
					Timeout: 30 * time.Second}}
		},
		Profile: func(id string) (runs.Profile, bool) {
			return runs.Profile{ID: id, Name: "NanoClaw"}, id == "" || id == "default" || id == "writer"
		},
		Knowledge: func(context.Context, *models.Run, []string) ([]string, error) { return nil, nil },
		ToolOff:   func(context.Context, string) string { return "" },
		Cost:      func(string, llm.Usage) float64 { return 0 },
		Quota: func(ctx context.Context, userID string) (models.Quota, error) {
			user, err := h.store.GetUser(ctx, userID)
			if err != nil || user.Quota == nil {
				return models.Quota{}, err
			}
			return *user.Quota, nil
		},
		Redactor: redactor, Workers: 8, Owner: store.NewID(), Logger: logger,
	})
	must(h.runs.Start(ctx))
	if h.live.Current().AuthMode == "multi" {
		h.accounts = &accounts.Service{Store: h.store, Limits: func() accounts.Limits {
			return accounts.Limits{SessionLifetime: time.Hour, SessionIdle: time.Hour}
		}}
		_, err = h.accounts.Create(ctx, "owner", models.AccountAdmin, goodPassword)
		must(err)
		h.token, _, err = h.accounts.NewToken(ctx, models.LocalUserID, "test", models.ScopeAdmin, time.Time{})
		must(err)
	}
	h.server, err = newServer(Options{
		Accounts: h.accounts,
		Triggers: triggers.New(triggers.Options{Store: h.store, Runs: h.runs, Logger: logger}),
		Store:    h.store, Runs: h.runs, Projects: projects, Live: h.live, Models: h, Registry: registry,
		Ready: func(ctx context.Context) []Check { return h.ready(ctx) }, Page: h.page, Version: "1.2.3",
		Logger: logger,
		Caller: func(_, _ netip.AddrPort) process.Caller { return h.caller }, DecisionToken: "the printed token",
	})
	must(err)
	h.web = httptest.NewServer(h.server.echo)
	h.t.Cleanup(func() {
		h.web.CloseClientConnections()
		h.web.Close()
		h.runs.Shutdown(context.Background())
		h.log.Close()
		if err := h.store.Close(); err != nil {
			h.t.Error(err)
		}
	})
}

type echoArgs struct {
	Text string `json:"text"`
}

// Get, Default and List make the house the models: "m", and "off" without a key.
func (h *house) Get(id string) (llm.Model, error) {
	if id != "m" {
		return nil, &llm.Error{Code: llm.CodeNotFound, Message: "there is no model " + id}
	}
	cfg := config.Model{ID: "m", Provider: "openai", BaseURL: h.model.URL(), Model: "m", APIKey: "key"}
	return openai.New(cfg, h.List()[0], llm.Options{IdleTimeout: 10 * time.Second}), nil
}

func (h *house) Default() string { return "m" }

func (h *house) List() []llm.Info {
	return []llm.Info{
		{ID: "m", Name: "M", Model: "m", ContextWindow: 32000, Supports: []string{"tools"}, Source: "config"},
		{ID: "nokey", Name: "No key", Supports: []string{}, Disabled: true, Reason: "it has no api_key"},
	}
}

// answer is what a request was answered with.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

// do sends a request; body is sent as JSON, or as it is where it is a string. The
// headers are pairs.
func (h *house) do(method, path string, body any, headers ...string) answer {
	h.t.Helper()
	var reader io.Reader
	isJSON := false
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	case []byte:
		reader = bytes.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			h.t.Fatal(err)
		}
		reader, isJSON = bytes.NewReader(text), true
	}
	if !strings.HasPrefix(path, "http") {
		path = h.web.URL + path
	}
	r, err := http.NewRequestWithContext(h.t.Context(), method, path, reader)
	if err != nil {
		h.t.Fatal(err)
	}
	if isJSON {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	return h.answered(r)
}

// send is do with a body whose length is not told.
func (h *house) send(method, path string, body io.Reader, headers ...string) answer {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.web.URL+path, io.MultiReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return h.answered(r)
}

func (h *house) answered(r *http.Request) answer {
	h.t.Helper()
	if h.token != "" && r.Header.Get("Authorization") == "" && r.Header.Get("Cookie") == "" {
		r.Header.Set("Authorization", "Bearer "+h.token)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		h.t.Fatal(err)
	}
	text := answeredText(h.t, response)
	found := h.server.echo.NewContext(r, nil)
	h.server.echo.Router().Find(r.Method, r.URL.EscapedPath(), found)
	contractOf(h.t, h).holds(h.t, r.Method, found.Path(), strconv.Itoa(response.StatusCode),
		response.Header.Get("Content-Type"), text)
	return answer{h.t, response.StatusCode, response.Header, text}
}

func answeredText(t testing.TB, response *http.Response) string {
	t.Helper()
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// is fails the test unless the status is the expected one and the body has all texts.
func (a answer) is(status int, contains ...string) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	for _, text := range contains {
		if !strings.Contains(a.body, text) {
			a.t.Fatalf("the answer lacks %q: %s", text, a.body)
		}
	}
	if status >= 400 && !strings.HasPrefix(a.header.Get("Content-Type"), "application/problem+json") {
		a.t.Fatalf("status %d came as %s", status, a.header.Get("Content-Type"))
	}
	return a
}

// into decodes the body.
func into[T any](a answer) T {
	a.t.Helper()
	var v T
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		a.t.Fatalf("%s: %v", a.body, err)
	}
	return v
}

type m map[string]any

func (h *house) newConversation(body m) Conversation {
	h.t.Helper()
	return into[Conversation](h.do("POST", "/api/v1/conversations", body).is(201))
}

func (h *house) newProject() Project {
	h.t.Helper()
	return into[Project](h.do("POST", "/api/v1/projects", m{"name": "p"}).is(201))
}

// say sends a message and waits for the end of the run.
func (h *house) say(conversationID, text string) []event {
	h.t.Helper()
	a := h.do("POST", "/api/v1/conversations/"+conversationID+"/runs", m{"text": text}, "Accept",
		"text/event-stream").is(200)
	events := parseEvents(h.t, a.body)
	for _, e := range events {
		contractOf(h.t, h).holdsEvent(h.t, e.kind, e.data)
	}
	return events
}

type event struct{ id, kind, data string }

// parseEvents reads a whole stream, strictly.
func parseEvents(t testing.TB, text string) []event {
	t.Helper()
	if strings.Contains(text, "\r") {
		t.Fatal("the stream holds CR")
	}
	var events []event
	for block := range strings.SplitSeq(strings.TrimSuffix(text, "\n\n"), "\n\n") {
		if block == "" || strings.HasPrefix(block, ":") {
			continue
		}
		lines := strings.Split(block, "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[0], "id: ") || !strings.HasPrefix(lines[1], "event: ") ||
			!strings.HasPrefix(lines[2], "data: {") {
			t.Fatalf("no event: %q", block)
		}
		events = append(events, event{lines[0][4:], lines[1][7:], lines[2][6:]})
	}
	return events
}

func kinds(events []event) string {
	var all []string
	for _, e := range events {
		if len(all) == 0 || all[len(all)-1] != e.kind {
			all = append(all, e.kind)
		}
	}
	return strings.Join(all, " ")
}
