package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/tools"
)

// world is what the tools of the tests work on: cells of text, with a count of
// every run.
type world struct {
	mu    sync.Mutex
	cells map[string]string
	runs  map[string]int // by tool
}

type cellArgs struct {
	Cell      string `json:"cell"`
	Text      string `json:"text,omitempty"`
	ProjectID string `json:"project_id" inject:"project_id"`
}

func (w *world) count(tool string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs[tool]++
}

func (w *world) ran(tool string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.runs[tool]
}

func (w *world) get(project, cell string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cells[project+"/"+cell]
}

func (w *world) set(project, cell, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cells[project+"/"+cell] = text
}

// bench is an executor with tools over a world.
type bench struct {
	*Executor
	world    *world
	registry *tools.Registry
	journal  *memoryJournal
	env      Env
}

func newBench(t testing.TB, change ...func(*Options)) *bench {
	t.Helper()
	w := &world{cells: map[string]string{}, runs: map[string]int{}}
	b := &bench{world: w, registry: tools.NewRegistry(), journal: newMemoryJournal()}
	b.registry.Register(tools.Define("read", "Reads a cell.", func(_ context.Context, _ tools.Call, a cellArgs) (string,
		error) {
		w.count("read")
		return w.get(a.ProjectID, a.Cell), nil
	}, tools.Effect(tools.Reads), tools.Stamp(func(_ context.Context, _ tools.Call, a cellArgs) (string, error) {
		return "v:" + w.get(a.ProjectID, a.Cell), nil
	})))
	b.registry.Register(tools.Define("write", "Writes a cell.", func(_ context.Context, _ tools.Call,
		a cellArgs) (string, error) {
		w.count("write")
		w.set(a.ProjectID, a.Cell, a.Text)
		return "written", nil
	}, tools.Effect(tools.Writes)))
	b.registry.Register(tools.Define("append", "Appends to a cell.", func(_ context.Context, _ tools.Call,
		a cellArgs) (string, error) {
		w.count("append")
		w.set(a.ProjectID, a.Cell, w.get(a.ProjectID, a.Cell)+a.Text)
		return "appended", nil
	}, tools.Effect(tools.Writes)))
	b.registry.Register(tools.Define("add", "Adds.", func(_ context.Context, _ tools.Call, a addArgs) (float64, error) {
		w.count("add")
		return a.A + a.B, nil
	}, tools.Effect(tools.Pure)))
	b.registry.Register(tools.Define("fail", "Fails.", func(context.Context, tools.Call, struct{}) (string, error) {
		w.count("fail")
		return "", &tools.Error{Code: "not_found", Message: "nothing there", Data: map[string]any{"partial": "text"}}
	}, tools.Effect(tools.Pure)))
	b.registry.Register(tools.Define("clock", "Tells a number that grows.", func(context.Context, tools.Call,
		struct{}) (int, error) {
		w.count("clock")
		return w.ran("clock"), nil
	}, tools.Effect(tools.Volatile)))
	options := Options{
		Registry: b.registry,
		Guard:    guard.AllowAll{},
		Limits:   func() Limits { return Limits{CacheEnabled: true} },
		Logger:   slog.New(slog.DiscardHandler),
	}
	for _, c := range change {
		c(&options)
	}
	b.Executor = New(options)
	b.env = Env{
		Call:    tools.Call{ConversationID: "c1", RunID: "r1", RootRunID: "r1", ProjectID: "p1", AgentPath: "main"},
		Scope:   "c1/default",
		Journal: b.journal,
	}
	return b
}

type addArgs struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// calls makes a batch of "tool {arguments}" lines with the ids a, b, c, …
func calls(lines ...string) Batch {
	var batch Batch
	for i, line := range lines {
		var name, arguments string
		for at, r := range line {
			if r == ' ' {
				name, arguments = line[:at], line[at+1:]
				break
			}
		}
		if name == "" {
			name = line
		}
		batch.Calls = append(batch.Calls, tools.Invocation{ID: id(i), Name: name, Arguments: arguments})
	}
	return batch
}

func id(i int) string { return fmt.Sprintf("%c", 'a'+i) }

// both runs a test in order and in parallel.
func both(t *testing.T, test func(t *testing.T, process func(*bench, Batch) []Outcome)) {
	t.Helper()
	for name, process := range map[string]func(*Executor, context.Context, Env, Batch) ([]Outcome, error){
		"in order":    (*Executor).Process,
		"in parallel": (*Executor).ProcessParallel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(b *bench, batch Batch) []Outcome {
				t.Helper()
				outcomes, err := process(b.Executor, t.Context(), b.env, batch)
				if err != nil {
					t.Fatal(err)
				}
				checkShape(t, batch, outcomes)
				return outcomes
			})
		})
	}
}

// checkShape holds for all outcomes: call order, and results that parse.
func checkShape(t *testing.T, batch Batch, outcomes []Outcome) {
	t.Helper()
	if len(outcomes) != len(batch.Calls) {
		t.Fatalf("%d outcomes for %d calls", len(outcomes), len(batch.Calls))
	}
	for i, o := range outcomes {
		if o.Invocation.ID != batch.Calls[i].ID {
			t.Errorf("outcome %d is of call %s", i, o.Invocation.ID)
		}
		if o.Suspended {
			continue
		}
		if o.Record.ID != o.Invocation.ID || o.Record.Type != "function" || !json.Valid([]byte(o.Record.Result)) {
			t.Errorf("record of %s: %+v", o.Invocation.ID, o.Record)
		}
	}
}

func results(outcomes []Outcome) []string {
	var all []string
	for _, o := range outcomes {
		all = append(all, o.Record.Result)
	}
	return all
}

// resultOf decodes a record's result.
func resultOf(t testing.TB, o Outcome) tools.Result {
	t.Helper()
	var r tools.Result
	if err := json.Unmarshal([]byte(o.Record.Result), &r); err != nil {
		t.Fatalf("result %q: %v", o.Record.Result, err)
	}
	return r
}

// memoryJournal remembers what it is told, in order.
type memoryJournal struct {
	mu        sync.Mutex
	events    []string
	records   map[string]tools.Record
	failStart func(tools.Invocation) error
}

func newMemoryJournal() *memoryJournal { return &memoryJournal{records: map[string]tools.Record{}} }

func (j *memoryJournal) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, fmt.Sprintf(format, args...))
}

func (j *memoryJournal) CallStarted(_ context.Context, inv tools.Invocation, _ tools.EffectKind) error {
	j.note("started %s", inv.ID)
	if j.failStart != nil {
		return j.failStart(inv)
	}
	return nil
}

func (j *memoryJournal) CallFinished(ctx context.Context, record tools.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.note("finished %s", record.ID)
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, twice := j.records[record.ID]; twice {
		return fmt.Errorf("call %s is finished twice", record.ID)
	}
	j.records[record.ID] = record
	return nil
}

func (j *memoryJournal) CallSuspended(_ context.Context, s Suspension) error {
	j.note("suspended %s", s.Invocation.ID)
	return nil
}

func (j *memoryJournal) CallProgress(id, message string, fraction float64) {
	j.note("progress %s %s %v", id, message, fraction)
}

func (j *memoryJournal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]string(nil), j.events...)
}
