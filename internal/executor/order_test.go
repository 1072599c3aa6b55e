package executor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nanoclaw/internal/tools"
)

// EX1
func TestAReadBehindAWriteSeesWhatWasWritten(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t)
		b.world.set("p1", "x", "old")
		outcomes := process(b, calls(
			`read {"cell":"x"}`, `write {"cell":"x","text":"new"}`, `read {"cell":"x"}`,
			`append {"cell":"x","text":"er"}`, `read {"cell":"x"}`))
		for i, want := range map[int]string{0: "old", 2: "new", 4: "newer"} {
			if got := resultOf(t, outcomes[i]).Data; got != want {
				t.Errorf("call %s: %v, want %s", id(i), got, want)
			}
		}
	})
}

// EX3
func TestTwoIdenticalAppendsInTwoStepsAppendTwice(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t)
		b.env.Journal = nil
		for range 2 {
			process(b, calls(`append {"cell":"x","text":"1"}`))
		}
		if got := b.world.get("p1", "x"); got != "11" {
			t.Errorf("cell holds %q", got)
		}
	})
}

// EX1: whatever the batch, running it in parallel gives what running it in order gives.
func TestARandomBatchInParallelEndsAsInOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 7))
		var lines []string
		for range 1 + random.IntN(20) {
			cell := string("xyz"[random.IntN(3)])
			text := string("12"[random.IntN(2)])
			lines = append(lines, []string{
				fmt.Sprintf(`read {"cell":%q}`, cell),
				fmt.Sprintf(`read {"cell":%q}`, cell),
				fmt.Sprintf(`write {"cell":%q,"text":%q}`, cell, text),
				fmt.Sprintf(`append {"cell":%q,"text":%q}`, cell, text),
				fmt.Sprintf(`add {"a":%s,"b":1}`, text),
				`fail {}`,
				`read {"cel":"x"}`,
			}[random.IntN(7)])
		}
		workers := 1 + random.IntN(8)
		run := func(process func(*Executor, context.Context, Env, Batch) ([]Outcome, error), jitter bool) (*world,
			[]tools.Record) {
			b := newBench(t, func(o *Options) {
				o.Limits = func() Limits { return Limits{Workers: workers, CacheEnabled: seed%2 == 0} }
			})
			if jitter {
				b.journal.failStart = func(tools.Invocation) error { runtime.Gosched(); return nil }
			}
			outcomes, err := process(b.Executor, t.Context(), b.env, calls(lines...))
			if err != nil {
				t.Fatal(err)
			}
			var records []tools.Record
			for _, o := range outcomes {
				o.Record.ExecutionTime = 0
				o.Record.Cached = false // a pure call may or may not be served to its twin
				records = append(records, o.Record)
			}
			return b.world, records
		}
		inOrder, recordsInOrder := run((*Executor).Process, false)
		inParallel, recordsInParallel := run((*Executor).ProcessParallel, true)
		if !reflect.DeepEqual(inOrder.cells, inParallel.cells) || !reflect.DeepEqual(recordsInOrder,
			recordsInParallel) {
			t.Fatalf("seed %d, batch %v:\nin order    %v %v\nin parallel %v %v", seed, lines,
				inOrder.cells, recordsInOrder, inParallel.cells, recordsInParallel)
		}
	}
}

// gauge counts how many calls are at work at once, by kind.
type gauge struct {
	mu        sync.Mutex
	now, most map[string]int
	clashes   []string
}

func (g *gauge) tool(name string, effect tools.EffectKind, took time.Duration) *tools.Tool {
	return tools.Define(name, "doc", func(ctx context.Context, _ tools.Call, a struct {
		N int `json:"n"`
	}) (int, error) {
		g.mu.Lock()
		g.now[name]++
		g.most[name] = max(g.most[name], g.now[name])
		if g.now["exclusive"] > 0 && (g.now["shared"] > 0 || g.now["exclusive"] > 1) {
			g.clashes = append(g.clashes, fmt.Sprint(g.now))
		}
		g.mu.Unlock()
		time.Sleep(took)
		g.mu.Lock()
		g.now[name]--
		g.mu.Unlock()
		return a.N, nil
	}, tools.Effect(effect))
}

// EX1
func TestWhatDoesNotConflictRunsTogetherUpToTheNumberOfWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gauge{now: map[string]int{}, most: map[string]int{}}
		b := newBench(t, func(o *Options) { o.Limits = func() Limits { return Limits{Workers: 3} } })
		b.registry.Register(g.tool("shared", tools.External, time.Second))
		b.registry.Register(g.tool("exclusive", tools.Writes, time.Second))
		b.registry.Register(g.tool("free", tools.Pure, time.Second))
		var lines []string
		for i := range 4 {
			lines = append(lines, fmt.Sprintf(`shared {"n":%d}`, i))
		}
		lines = append(lines, `exclusive {"n":0}`, `exclusive {"n":1}`)
		for i := range 4 {
			lines = append(lines, fmt.Sprintf(`shared {"n":%d}`, 10+i))
		}
		lines = append(lines, `free {"n":0}`, `free {"n":1}`)
		start := time.Now()
		if _, err := b.ProcessParallel(t.Context(), b.env, calls(lines...)); err != nil {
			t.Fatal(err)
		}
		// 4 shared: 1 s with three workers, then one with both free ones beside it; 2 exclusive; 4 shared
		if took := time.Since(start); took != 6*time.Second {
			t.Errorf("took %s", took)
		}
		if len(g.clashes) > 0 || g.most["shared"] != 3 || g.most["exclusive"] != 1 || g.most["free"] != 2 {
			t.Errorf("clashes %v, most at once %v", g.clashes, g.most)
		}
	})
}

// EX1
func TestProcessRunsOneCallAtATimeInOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, err := b.Process(t.Context(), b.env, calls(`read {"cell":"x"}`, "unknown", `add {"a":1,"b":1}`,
		`write {"cell":"x"}`, `add {"a":1,"b":1}`, `read {"cell":"y"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"started a", "finished a", "finished b", "started c", "finished c", "finished e", "started d",
		"finished d", "started f", "finished f"}
	if got := b.journal.all(); !slices.Equal(got, want) {
		t.Errorf("journal: %v", got)
	}
}
