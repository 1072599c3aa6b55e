package runs

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/config"
	"nanoclaw/internal/executor"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/llm/openai"
	"nanoclaw/internal/models"
	"nanoclaw/internal/redact"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/services"
	"nanoclaw/internal/store"
	"nanoclaw/internal/store/storetest"
	"nanoclaw/internal/tools"
)

// house is a whole backend but for HTTP, on a real store, a real event log and a
// scripted model server. It can be stopped and opened again on the same data.
type house struct {
	t        *testing.T
	dir      string
	database store.Options
	model    *llmtest.Server
	registry *tools.Registry
	settings Settings
	agents   AgentSettings // profiles beside the default one
	guard    askingGuard
	store    *store.Store
	log      *eventlog.Log
	joined   *eventlog.Log // another house's, which replicas share
	runs     *Service
	sees     bool // the model supports images
	// wishesEvery is Options.WishesEvery.
	wishesEvery time.Duration

	mu    sync.Mutex
	lines []string // what the tool note appended
}

func newHouse(t *testing.T) *house {
	t.Helper()
	return newHouseOn(t, storetest.Options)
}

// newHouseOn is a house on the database that options say.
func newHouseOn(t *testing.T, options func(tb testing.TB, dir string) store.Options) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), model: llmtest.NewServer(t), registry: tools.NewRegistry(), settings: Settings{
		Attached: AttachedLimits{Inline: 64 << 10, Preview: 8 << 10, Whole: 4 << 20},
		Lease:    10 * time.Second, DeltaInterval: time.Millisecond, MaxAttempts: 5, MaxIterations: 10,
		SubAgents: agent.Limits{MaxIterations: 3, MaxConcurrency: 3, MaxTasks: 5, Timeout: 30 * time.Second},
	}}
	h.database = options(t, h.dir)
	h.addTools()
	h.open()
	t.Cleanup(func() { h.close(t.Context()) })
	return h
}

// open starts the backend on the house's data.
func (h *house) open() {
	h.t.Helper()
	var err error
	if h.store, err = store.Open(h.t.Context(), h.database); err != nil {
		h.t.Fatal(err)
	}
	h.guard.store = h.store
	if _, err = h.store.EnsureLocalUser(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	if h.joined != nil {
		h.log = h.joined
	} else if h.log, err = eventlog.Open(h.t.Context(),
		eventlog.Options{Dir: filepath.Join(h.dir, "nats")}); err != nil {
		h.t.Fatal(err)
	}
	redactor, err := redact.New(redact.Options{ValuesOnly: true, Values: []string{"the-secret-key-123"}})
	if err != nil {
		h.t.Fatal(err)
	}
	logger := slog.New(slog.NewTextHandler(h.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	located := &services.Locator{}
	loop := &agent.Loop{Executor: executor.New(executor.Options{Registry: h.registry, Guard: &h.guard,
		Redact: redactor.String, Logger: logger})}
	h.runs = New(Options{
		Store: h.store, Log: h.log, Loop: loop, Registry: h.registry, Services: located, Models: h,
		Settings:  func() Settings { h.mu.Lock(); defer h.mu.Unlock(); return h.settings },
		Profile:   h.profile,
		Knowledge: func(context.Context, *models.Run, []string) ([]string, error) { return nil, nil },
		ToolOff:   func(context.Context, string) string { return "" },
		Cost:      func(string, llm.Usage) float64 { return 0 },
		Redactor:  redactor, Workers: 8, Owner: store.NewID(), Logger: logger,
		WishesEvery: h.wishesEvery,
	})
	services.Register(located, tools.SubAgentsKey, h.runs.SubAgents())
	services.Register(located, tools.AgentsKey, h.runs.Agents(func() AgentSettings { return h.agents }))
	services.Register(located, tools.TasksKey, h.runs.Tasks(func() int { return maxTasks }))
	if err := h.runs.Start(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) close(ctx context.Context) {
	h.runs.Shutdown(ctx)
	if h.joined == nil {
		h.log.Close()
	}
	if err := h.store.Close(); err != nil {
		h.t.Error(err)
	}
}

// Get and Default make the house a Models with one model, "m".
func (h *house) Get(id string) (llm.Model, error) {
	if id != "m" {
		return nil, &llm.Error{Code: llm.CodeNotFound, Message: "there is no model " + id + ": the models are m"}
	}
	cfg := config.Model{ID: "m", Provider: "openai", BaseURL: h.model.URL(), Model: "m", APIKey: "the-secret-key-123"}
	info := llm.Info{ID: "m", Model: "m", ContextWindow: 32000, Supports: []string{"tools", "thinking"}}
	if h.sees {
		info.Supports = append(info.Supports, "images")
	}
	return openai.New(cfg, info, llm.Options{IdleTimeout: 10 * time.Second}), nil
}

func (h *house) Default() string { return "m" }

type noteArgs struct {
	Line string `json:"line"`
}

// addTools registers note (Writes), look (Reads) and multi_agent.
func (h *house) addTools() {
	h.registry.Register(tools.Define("note", "append a line", func(_ context.Context, _ tools.Call, args noteArgs) (int,
		error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.lines = append(h.lines, args.Line)
		return len(h.lines), nil
	}, tools.Effect(tools.Writes)))
	h.registry.Register(tools.Define("look", "read the lines", func(context.Context, tools.Call, struct{}) ([]string,
		error) {
		return h.noted(), nil
	}, tools.Effect(tools.Volatile)))
	h.registry.Register(tools.Define("multi_agent", "fan out", func(ctx context.Context, call tools.Call,
		args fanArgs) (any, error) {
		agents, err := services.Get(call.Services, tools.SubAgentsKey)
		if err != nil {
			return nil, err
		}
		var tasks []tools.SubTask
		for _, task := range args.Tasks {
			tasks = append(tasks, tools.SubTask(task))
		}
		return agents.FanOut(ctx, call, tasks)
	}, tools.Effect(tools.Resumes), tools.Timeout(-1)))
}

type fanArgs struct {
	Tasks []fanTask `json:"tasks"`
}

type fanTask struct {
	Name        string   `json:"name"`
	Instruction string   `json:"instruction"`
	Tools       []string `json:"tools,omitempty"`
}

// timeout bounds a wait that should not happen.
func (h *house) timeout() context.Context {
	ctx, cancel := context.WithTimeout(h.t.Context(), 20*time.Second)
	h.t.Cleanup(cancel)
	return store.Patient(ctx)
}

// await receives from a channel that must not stay silent.
func await[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(time.Minute):
		t.Fatal("waited a minute")
		panic("unreachable")
	}
}

func (h *house) noted() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string{}, h.lines...)
}

func (h *house) conversation() *models.Conversation {
	h.t.Helper()
	conv := &models.Conversation{ID: store.NewID(), UserID: models.LocalUserID, ToolsEnabled: true}
	if err := h.store.CreateConversation(h.t.Context(), conv); err != nil {
		h.t.Fatal(err)
	}
	return conv
}

func (h *house) send(conv *models.Conversation, text string) *RunView {
	h.t.Helper()
	run, err := h.runs.StartTurn(h.t.Context(), StartRequest{UserID: models.LocalUserID, ConversationID: conv.ID,
		Text: text})
	if err != nil {
		h.t.Fatal(err)
	}
	return run
}

// events follows a run to its end and returns all its events.
func (h *house) events(runID string) []Event {
	h.t.Helper()
	ctx := h.timeout()
	watch, err := h.runs.WatchRun(ctx, models.LocalUserID, runID, "")
	if err != nil {
		h.t.Fatal(err)
	}
	defer watch.Close()
	var events []Event
	for {
		event, err := watch.Next(ctx)
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			h.t.Fatalf("after %d events %v: %v", len(events), types(events), err)
		}
		events = append(events, event)
	}
}

func types(events []Event) []string {
	var all []string
	for _, event := range events {
		all = append(all, event.Type)
	}
	return all
}

func decode[T any](t *testing.T, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return v
}

// answer is the assistant's message of a run that has ended.
func (h *house) answer(runID string) (*RunView, *MessageView) {
	h.t.Helper()
	run, err := h.runs.Run(h.timeout(), models.LocalUserID, runID)
	if err != nil {
		h.t.Fatal(err)
	}
	message, err := h.store.GetMessage(h.timeout(), models.LocalUserID, run.AssistantMessageID)
	if err != nil {
		h.t.Fatal(err)
	}
	view, err := ViewMessage(message)
	if err != nil {
		h.t.Fatal(err)
	}
	return run, view
}
