package executor

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"nanoclaw/internal/tools"
)

// EX3
func TestAPureResultIsServedAgainInItsScopeOnly(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t)
		first := process(b, calls(`add {"a":1,"b":2}`))
		b.env.Journal = nil
		second := process(b, calls(`add {"b":2.0,"a":1}`))
		if r := second[0].Record; !r.Cached || r.Skipped || r.Result != first[0].Record.Result || r.ExecutionTime != 0 {
			t.Errorf("record: %+v", r)
		}
		b.env.Scope = "c2/default"
		third := process(b, calls(`add {"a":1,"b":2}`))
		if third[0].Record.Cached || b.world.ran("add") != 2 {
			t.Errorf("another scope: %+v, %d runs", third[0].Record, b.world.ran("add"))
		}
	})
}

// EX3
func TestAReadIsServedAgainOnlyWhileWhatItReadIsUnchanged(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t)
		b.env.Journal = nil
		read := func() (data any, cached bool) {
			o := process(b, calls(`read {"cell":"x"}`))[0]
			return resultOf(t, o).Data, o.Record.Cached
		}
		b.world.set("p1", "x", "one")
		expect := func(wantData string, wantCached bool) {
			t.Helper()
			if data, cached := read(); data != wantData || cached != wantCached {
				t.Errorf("got %v, cached %v; want %v, cached %v", data, cached, wantData, wantCached)
			}
		}
		expect("one", false)
		expect("one", true)
		b.world.set("p1", "x", "two") // by an editor, another process
		expect("two", false)
		expect("two", true)
		process(b, calls(`write {"cell":"x","text":"three"}`))
		expect("three", false)
	})
}

// EX3
func TestWhatReadsDuringAChangeIsNotServedAsNew(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	version := "1"
	b.registry.Register(tools.Define("racy", "Reads while somebody writes.", func(context.Context, tools.Call,
		struct{}) (string, error) {
		defer func() { version = "2" }()
		return "content " + version, nil
	}, tools.Effect(tools.Reads), tools.Stamp(func(context.Context, tools.Call, struct{}) (string,
		error) {
		return version, nil
	})))
	for i, want := range []string{"content 1", "content 2"} {
		b.env.Journal = nil
		outcomes, err := b.Process(t.Context(), b.env, calls("racy"))
		if err != nil {
			t.Fatal(err)
		}
		if got := resultOf(t, outcomes[0]).Data; got != want || outcomes[0].Record.Cached {
			t.Errorf("read %d: %v, cached %v", i, got, outcomes[0].Record.Cached)
		}
	}
}

// EX3
func TestWhatMustNotBeCachedRunsEveryTime(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ tool, call string }{
		"a failure":    {"fail", "fail"},
		"a write":      {"append", `append {"cell":"x","text":"1"}`},
		"the volatile": {"clock", "clock"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
				b := newBench(t)
				b.env.Journal = nil
				for range 2 {
					if o := process(b, calls(c.call))[0]; o.Record.Cached || o.Record.Skipped {
						t.Errorf("record: %+v", o.Record)
					}
				}
				if b.world.ran(c.tool) != 2 {
					t.Errorf("ran %d times", b.world.ran(c.tool))
				}
			})
		})
	}
}

// passing is a result that is kept or not.
type passing struct {
	MadeUp bool `json:"made_up"`
}

func (p passing) NotCacheable() bool { return p.MadeUp }

// EX3 BT7: a tool says of one result that it is not to be kept, as of made-up weather.
func TestAResultThatIsNotCacheableIsNotCached(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t)
		b.env.Journal = nil
		runs := 0
		b.registry.Register(tools.Define("weather", "Makes the first answer up.", func(context.Context, tools.Call,
			struct{}) (passing, error) {
			runs++
			return passing{MadeUp: runs == 1}, nil
		}, tools.Effect(tools.External)))
		for i, want := range []bool{false, false, true} {
			if o := process(b, calls("weather"))[0]; o.Record.Cached != want {
				t.Errorf("call %d: %+v", i, o.Record)
			}
		}
	})
}

// EX3
func TestReadsWithoutAUsableStampAreNotCached(t *testing.T) {
	t.Parallel()
	read := func(context.Context, tools.Call, struct{}) (string, error) { return "x", nil }
	stamp := func(s string, err error) tools.Option {
		return tools.Stamp(func(context.Context, tools.Call, struct{}) (string, error) { return s, err })
	}
	b := newBench(t)
	b.registry.Register(tools.Define("unstamped", "doc", read, tools.Effect(tools.Reads)))
	b.registry.Register(tools.Define("empty", "doc", read, tools.Effect(tools.Reads), stamp("", nil)))
	b.registry.Register(tools.Define("broken", "doc", read, tools.Effect(tools.Reads), stamp("v", errors.New("no"))))
	b.registry.Register(tools.Define("panicking", "doc", read, tools.Effect(tools.Reads),
		tools.Stamp(func(context.Context, tools.Call, struct{}) (string, error) { panic("stamp") })))
	b.env.Journal = nil
	for range 2 {
		outcomes, err := b.ProcessParallel(t.Context(), b.env, calls("unstamped", "empty", "broken", "panicking"))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			if o.Record.Cached || !o.Record.Success {
				t.Errorf("%s: %+v", o.Invocation.Name, o.Record)
			}
		}
	}
}

// EX3, CF2
func TestTheCacheObeysItsLimitsAsTheyChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := Limits{CacheEnabled: true, CacheTTL: time.Minute}
		b := newBench(t, func(o *Options) { o.Limits = func() Limits { return limits } })
		b.env.Journal = nil
		step := func(name string, wantCached bool) {
			t.Helper()
			outcomes, err := b.Process(t.Context(), b.env, calls(`add {"a":1,"b":2}`))
			if err != nil {
				t.Fatal(err)
			}
			if got := outcomes[0].Record.Cached; got != wantCached {
				t.Errorf("%s: cached %v", name, got)
			}
		}
		step("first", false)
		time.Sleep(59 * time.Second)
		step("just before the end of its time", true)
		time.Sleep(time.Second)
		step("at the end of its time", false)
		limits.CacheTTL = time.Hour
		time.Sleep(59 * time.Minute)
		step("with a longer time", true)
		limits.CacheEnabled = false
		step("switched off", false)
		limits.CacheEnabled = true
		limits.OutputLimit = 1000
		step("cut at another limit", false)
		step("cut at the same limit", true)
		b.ClearCache()
		step("cleared", false)
	})
}
