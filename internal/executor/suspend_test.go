package executor

import (
	"context"
	"fmt"
	"testing"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/tools"
)

// TG6, MA6: sub-agents that wait for a person keep the call open that runs them.
func TestACallThatCannotEndYetHoldsOnlyWhatMustComeAfterIt(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		answer error
		effect tools.EffectKind
		want   string
		writes int
	}{
		"a sub-agent waits for an approval": {fmt.Errorf("fan out: %w", tools.ErrSuspended), tools.Resumes,
			"ok suspended deferred deferred deferred ok deferred", 0},
		"the server shuts down": {fmt.Errorf("drained: %w", tools.ErrUnfinished), tools.Resumes,
			"ok cancelled cancelled cancelled cancelled ok cancelled", 0},
		"the run is lost in the middle of a write": {fmt.Errorf("lost: %w", tools.ErrUnfinished), tools.Writes,
			"ok cancelled cancelled cancelled cancelled ok cancelled", 0},
		"only tools that resume may say so": {tools.ErrSuspended, tools.Writes, "ok internal internal ok ok ok ok", 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
				b := newBench(t)
				b.with("fan", c.effect, func(context.Context, tools.Call) (any, error) { return nil, c.answer })
				outcomes := process(b, calls(`read {"cell":"x"}`, "fan", "fan {}", `read {"cell":"y"}`,
					`write {"cell":"x","text":"1"}`, `add {"a":1,"b":1}`, `read {"cell":"x"}`))
				if got := state(t, outcomes); got != c.want {
					t.Errorf("states: %s, want %s", got, c.want)
				}
				if b.world.ran("write") != c.writes {
					t.Errorf("%d writes", b.world.ran("write"))
				}
				for _, o := range outcomes {
					if _, told := b.journal.records[o.Invocation.ID]; told == (o.Suspended || o.Unrecorded) {
						t.Errorf("%s: in the journal %v, outcome %+v", o.Invocation.ID, told, o)
					}
				}
			})
		})
	}
}

// CH5: entered again, a call that was held open ends, and what waited goes on.
func TestACallThatWasHeldOpenIsEnteredAgain(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t)
		waits := true
		b.with("fan", tools.Resumes, func(context.Context, tools.Call) (any, error) {
			if waits {
				return nil, tools.ErrSuspended
			}
			return "done", nil
		})
		batch := calls("fan", `write {"cell":"x","text":"1"}`, "fan")
		if got := state(t, process(b, batch)); got != "suspended deferred deferred" {
			t.Errorf("first: %s", got)
		}
		waits = false
		if got := state(t, process(b, batch)); got != "ok ok ok" || b.world.get("p1", "x") != "1" {
			t.Errorf("again: %s", got)
		}
	})
}

// EX3
func TestWithoutAScopeNothingIsCached(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env.Scope, b.env.Journal = "", nil
	for range 2 {
		outcomes, err := b.Process(t.Context(), b.env, calls(`add {"a":1,"b":1}`))
		if err != nil || outcomes[0].Record.Cached {
			t.Errorf("%+v, %v", outcomes[0].Record, err)
		}
	}
}

// EX3, SH8
func TestWhatWasMadeBeforeTheCacheWasClearedIsNotServed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env.Journal = nil
	b.with("slow", tools.Pure, func(context.Context, tools.Call) (any, error) {
		b.ClearCache() // the rules change while the call is at work
		return 1, nil
	})
	for range 2 {
		outcomes, err := b.Process(t.Context(), b.env, calls("slow"))
		if err != nil || outcomes[0].Record.Cached {
			t.Errorf("%+v, %v", outcomes[0].Record, err)
		}
	}
}

// askingJournal keeps what persons are asked about.
type askingJournal struct {
	noJournal
	asked []Suspension
}

func (j *askingJournal) CallSuspended(_ context.Context, s Suspension) error {
	j.asked = append(j.asked, s)
	return nil
}

// TG4, TS7: a person sees what will run, presets included, and none of the context's values.
func TestAPersonIsAskedAboutTheArgumentsThatWillRun(t *testing.T) {
	t.Parallel()
	b, _ := guarded(t, map[string]guard.Decision{"write": asks})
	b.env.Presets = map[string]map[string]any{"write": {"cell": "preset"}}
	journal := &askingJournal{}
	b.env.Journal = journal
	if _, err := b.Process(t.Context(), b.env,
		calls(`write {"cell":"x","text":"1","project_id":"other"}`)); err != nil {
		t.Fatal(err)
	}
	if len(journal.asked) != 1 {
		t.Fatalf("asked %d times", len(journal.asked))
	}
	if got, want := journal.asked[0].Invocation.Arguments, `{"cell":"preset","text":"1"}`; got != want {
		t.Errorf("shown %s, want %s", got, want)
	}
	if got, want := journal.asked[0].Hash, hashOf(`{"cell":"preset","project_id":"p1","text":"1"}`); got != want {
		t.Errorf("bound to %s, want %s", got, want)
	}
}
